import type { Session } from 'electron'

/** The one permission the console uses: its copy buttons write plain text. */
const granted = new Set(['clipboard-sanitized-write'])

/** Denies every web permission but the one above. Request and check handlers are both needed (Electron docs, `session`). */
export function restrictPermissions(session: Session): void {
  session.setPermissionRequestHandler((_contents, permission, answer) => answer(granted.has(permission)))
  session.setPermissionCheckHandler((_contents, permission) => granted.has(permission))
  session.setDevicePermissionHandler(() => false)
  session.setDisplayMediaRequestHandler((_request, answer) => answer({}))
  session.setSpellCheckerEnabled(false)
  session.on('will-download', (event) => event.preventDefault())
}
