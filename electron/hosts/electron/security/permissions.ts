import type { Session } from 'electron'

/** The one permission the console uses: its copy buttons write plain text. */
const granted = new Set(['clipboard-sanitized-write'])

/** Denies every web permission but the one above, and every download but what the page itself put together. Request and check handlers are both needed (Electron docs, `session`). */
export function restrictPermissions(session: Session): void {
  session.setPermissionRequestHandler((_contents, permission, answer) => answer(granted.has(permission)))
  session.setPermissionCheckHandler((_contents, permission) => granted.has(permission))
  session.setDevicePermissionHandler(() => false)
  session.setDisplayMediaRequestHandler((_request, answer) => answer({}))
  session.setSpellCheckerEnabled(false)
  session.on('will-download', (event, item) => {
    // What is let through opens Electron's own dialog, where the operator says where to save it.
    if (!isOwnDownload(item.getURL())) event.preventDefault()
  })
}

/** True for a blob that a page of the console's own scheme made: an export that it read from the core. */
export function isOwnDownload(url: string): boolean {
  return url.startsWith('blob:app://console/')
}
