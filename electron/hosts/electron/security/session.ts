import type { Session } from 'electron'

/** The copy buttons write plain text. */
const granted = new Set(['clipboard-sanitized-write'])

/** Denies other permissions, and downloads except the page's own. Electron needs both handlers (docs, `session`). */
export function restrictPermissions(session: Session): void {
  session.setPermissionRequestHandler((_contents, permission, answer) => answer(granted.has(permission)))
  session.setPermissionCheckHandler((_contents, permission) => granted.has(permission))
  session.setDevicePermissionHandler(() => false)
  session.setDisplayMediaRequestHandler((_request, answer) => answer({}))
  session.setSpellCheckerEnabled(false)
  session.on('will-download', (event, item) => {
    // Allowed downloads open Electron's save dialog.
    if (!isOwnDownload(item.getURL())) event.preventDefault()
  })
}

/** True for a blob created by the console's page, such as an export. */
function isOwnDownload(url: string): boolean {
  return url.startsWith('blob:app://console/')
}

/** Lets the window load only from the console's scheme; unpackaged, also developer tools and Vite's socket. */
export function restrictRequests(session: Session, packaged: boolean, vite: URL | null): void {
  session.webRequest.onBeforeRequest((details, answer) => {
    const isVite = vite !== null && details.url.startsWith(`ws://${vite.host}/`)
    answer({ cancel: !isVite && !isOwnRequest(details.url, packaged) })
  })
}

/** True for `app://console/…`, its blobs, and developer tools when unpackaged. */
function isOwnRequest(url: string, packaged: boolean): boolean {
  if (isOwnDownload(url)) return true
  const parsed = URL.parse(url)
  if (!parsed) return false
  if (parsed.protocol === 'app:') return parsed.host === 'console'
  return !packaged && parsed.protocol === 'devtools:'
}
