/**
 * This browser knows no custom schemes, so each host of one gets an https stand-in: `app://console/x` is
 * `https://console.app.electron-double.invalid/x`. The name never resolves (RFC 2606); the double answers every request.
 */
const suffix = '.electron-double.invalid'

/** The address as Electron’s main process sees it. */
export function toElectron(url: string): string {
  const parsed = URL.parse(url)
  if (parsed?.protocol !== 'https:' || !parsed.hostname.endsWith(suffix)) return url
  const labels = parsed.hostname.slice(0, -suffix.length).split('.')
  const scheme = labels.pop()!
  return `${scheme}://${labels.join('.')}${parsed.href.slice(parsed.origin.length)}`
}

/** The address as this Chromium can load it; only for declared schemes. */
export function toChromium(url: string, schemes: ReadonlySet<string>): string {
  const [, scheme, host, rest] = /^([a-z][a-z\d+.-]*):\/\/([^/\\?#]*)(.*)$/i.exec(url) ?? []
  if (scheme === undefined || !schemes.has(scheme.toLowerCase())) return url
  return new URL(`https://${host}.${scheme}${suffix}${rest === '' ? '/' : rest}`).href
}

/** An origin as Electron writes it; `null` for opaque ones. */
export function originToElectron(origin: string): string {
  if (origin === '' || origin === '://' || origin === 'null') return 'null'
  return toElectron(`${origin}/`).replace(/\/$/, '')
}
