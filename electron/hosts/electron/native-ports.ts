import { BrowserWindow, dialog, Notification, session, shell } from 'electron'
import { writeFile } from 'node:fs/promises'
import { AppError } from '../../contract/errors.ts'
import type { Capability, Ports } from '../../core/ports.ts'
import { environmentProxy } from '../settings.ts'
import { isSafeExternalUrl } from './external.ts'
import { readProxyRules } from './proxy-rules.ts'

/** What the desktop can do that a browser tab can't. */
export const nativeCapabilities = (): readonly Capability[] => [
  ...(Notification.isSupported() ? (['notify.native'] as const) : []),
  'file.dialog',
  'external.open',
  'window.native',
  'window.tray',
]

export const nativePorts: Pick<Ports, 'openExternal' | 'resolveProxies' | 'saveFile'> = {
  async openExternal(url) {
    if (!isSafeExternalUrl(url))
      throw new AppError('UNSUPPORTED', { capability: { key: 'ability.openAddress' } })
    await shell.openExternal(url)
  },
  async resolveProxies(origin) {
    // The environment first: it can hold credentials, the system's settings can't.
    const given = environmentProxy(origin)
    return given === null ? readProxyRules(await session.defaultSession.resolveProxy(origin)) : [given]
  },
  async saveFile(suggestedName, bytes) {
    const window = BrowserWindow.getFocusedWindow() ?? BrowserWindow.getAllWindows()[0]
    const options = { defaultPath: suggestedName }
    // Without its window it could open behind it.
    const { canceled, filePath } = await (window
      ? dialog.showSaveDialog(window, options)
      : dialog.showSaveDialog(options))
    if (canceled || !filePath) return null
    await writeFile(filePath, bytes, { mode: 0o600 })
    return filePath
  },
}
