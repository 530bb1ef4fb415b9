/**
 * Chromium knows no scheme of an app's own, so each of its hosts stands under https in this browser: `app://console/x` is
 * `https://console.app.electron-double.invalid/x`. The name can never be reached (RFC 2606); every request is answered here.
 */
const suffix = '.electron-double.invalid'

/** The address as Electron's main process would see it. */
export function toElectron(url: string): string {
  const parsed = URL.parse(url)
  if (parsed?.protocol !== 'https:' || !parsed.hostname.endsWith(suffix)) return url
  const labels = parsed.hostname.slice(0, -suffix.length).split('.')
  const scheme = labels.pop()!
  return `${scheme}://${labels.join('.')}${parsed.href.slice(parsed.origin.length)}`
}

/** The address as this Chromium can load it; only for schemes that were declared. */
export function toChromium(url: string, schemes: ReadonlySet<string>): string {
  const [, scheme, host, rest] = /^([a-z][a-z\d+.-]*):\/\/([^/\\?#]*)(.*)$/i.exec(url) ?? []
  if (scheme === undefined || !schemes.has(scheme.toLowerCase())) return url
  return new URL(`https://${host}.${scheme}${suffix}${rest === '' ? '/' : rest}`).href
}

/** An origin as Electron writes it. Opaque ones are `null`. */
export function originToElectron(origin: string): string {
  if (origin === '' || origin === '://' || origin === 'null') return 'null'
  return toElectron(`${origin}/`).replace(/\/$/, '')
}
