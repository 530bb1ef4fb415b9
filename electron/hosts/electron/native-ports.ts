import { BrowserWindow, dialog, Notification, session, shell } from 'electron'
import { writeFile } from 'node:fs/promises'
import { AppError } from '../../contract/errors.ts'
import type { Capability, Ports } from '../../core/ports.ts'
import { environmentProxy } from '../settings.ts'

const schemes: Record<string, string> = {
  PROXY: 'http',
  HTTP: 'http',
  HTTPS: 'https',
  SOCKS5: 'socks5',
}

/** Proxy URLs from Chromium's `PROXY a:8080; SOCKS5 b:1080; DIRECT`, in order; null for DIRECT. Skips other kinds. */
function readProxyRules(rules: string): (string | null)[] {
  return rules.split(';').flatMap((rule) => {
    const [kind = '', host = ''] = rule.trim().split(/\s+/)
    if (kind.toUpperCase() === 'DIRECT') return [null]
    const scheme = schemes[kind.toUpperCase()]
    return scheme && host ? [`${scheme}://${host}`] : []
  })
}

/** True for web pages without credentials in their address. Addresses come from the operator or a restored backup, none from the service. */
export function isSafeExternalUrl(url: string): boolean {
  const parsed = URL.parse(url)
  return (
    parsed !== null &&
    (parsed.protocol === 'https:' || parsed.protocol === 'http:') &&
    parsed.username === '' &&
    parsed.password === ''
  )
}

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
