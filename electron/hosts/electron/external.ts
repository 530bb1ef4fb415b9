/** Hosts that may open in the system's browser. Nothing from a service can add to them. */
const allowedHosts: ReadonlySet<string> = new Set(['github.com', 'www.electronjs.org', 'www.sqlite.org'])

/** True for https URLs of an allowed host, without credentials or port. */
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
