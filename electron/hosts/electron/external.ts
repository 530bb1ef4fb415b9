/** Hosts that the console may open in the system's browser. Nothing a service says can add to them. */
const allowedHosts: ReadonlySet<string> = new Set(['github.com', 'www.electronjs.org', 'www.sqlite.org'])

/** True for an https address of a host on the list, without credentials or a port of its own. */
export function isSafeExternalUrl(url: string): boolean {
  const parsed = URL.parse(url)
  return (
    parsed !== null &&
    parsed.protocol === 'https:' &&
    parsed.username === '' &&
    parsed.password === '' &&
    parsed.port === '' &&
    allowedHosts.has(parsed.hostname)
  )
}
