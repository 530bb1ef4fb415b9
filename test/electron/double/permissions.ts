import type { CdpSession } from './cdp.ts'
import type { Session } from './session.ts'

/** Web permissions by Chromium’s names, with Electron’s names for them (`session` documentation). */
const permissions: [chromium: string, electron: string, details: object][] = [
  ['geolocation', 'geolocation', {}],
  ['notifications', 'notifications', {}],
  ['camera', 'media', { mediaType: 'video' }],
  ['microphone', 'media', { mediaType: 'audio' }],
  ['midi', 'midi', {}],
  ['clipboard-read', 'clipboard-read', {}],
  ['clipboard-write', 'clipboard-sanitized-write', {}],
  ['idle-detection', 'idle-detection', {}],
  ['screen-wake-lock', 'screen-wake-lock', {}],
  ['window-management', 'window-management', {}],
  ['persistent-storage', 'persistent-storage', {}],
  ['storage-access', 'storage-access', {}],
]

/**
 * Asks the session’s two handlers about every permission that a page could request and gives Chromium the answers in advance: its
 * protocol can’t ask at the time. A permission is granted when both grant it, and by default without a handler, as in Electron.
 */
export async function applyPermissions(
  root: CdpSession,
  session: Session,
  contents: unknown,
  origin: { chromium: string; electron: string; browserContextId: string | null },
): Promise<void> {
  for (const [name, permission, details] of permissions) {
    const all = { ...details, isMainFrame: true, requestingUrl: `${origin.electron}/` }
    const checked = session.permissionCheck?.(contents, permission, origin.electron, all) ?? true
    const requested = await new Promise<boolean>((resolve) => {
      if (session.permissionRequest === null) resolve(true)
      else session.permissionRequest(contents, permission, resolve, all)
    })
    await root.send('Browser.setPermission', {
      permission: { name },
      setting: checked && requested ? 'granted' : 'denied',
      origin: origin.chromium,
      ...(origin.browserContextId === null ? {} : { browserContextId: origin.browserContextId }),
    })
  }
}
