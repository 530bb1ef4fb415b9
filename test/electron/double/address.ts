/**
 * This browser knows no custom schemes, so each host of the console’s gets an https stand-in: `app://console/x` is
 * `https://console.app.electron-double.invalid/x`. The name never resolves (RFC 2606); the double answers every request.
 */
const suffix = '.app.electron-double.invalid'
const standIn = /^https:\/\/([^/]*)\.app\.electron-double\.invalid(?=\/|$)/

/** The address or origin as Electron’s main process sees it. */
export const toElectron = (url: string) => url.replace(standIn, 'app://$1')

/** The address as this Chromium can load it. */
export function toChromium(url: string): string {
  const [, host, rest] = /^app:\/\/([^/\\?#]*)(.*)$/i.exec(url) ?? []
  return host === undefined ? url : new URL(`https://${host}${suffix}${rest || '/'}`).href
}
