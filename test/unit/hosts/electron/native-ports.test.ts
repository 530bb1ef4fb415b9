import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { tempFolder } from '../../../helpers/temp-folder.ts'

// Outside Electron the package is just a path to a binary.
const desktop = vi.hoisted(() => ({
  BrowserWindow: { getFocusedWindow: vi.fn(), getAllWindows: vi.fn() },
  dialog: { showSaveDialog: vi.fn() },
  session: {
    defaultSession: {
      resolveProxy: async () => 'PROXY a:8080; HTTPS b:443;SOCKS5 c:1080; SOCKS d:1080; DIRECT',
    },
  },
}))
vi.mock('electron', () => ({ ...desktop, Notification: {}, shell: {} }))
const { isSafeExternalUrl, nativePorts } = await import('#electron/hosts/electron/native-ports.ts')

test.each([
  ['the focused window', { id: 2 }, [{ id: 1 }, { id: 2 }], [{ id: 2 }]],
  ['the window behind another program', null, [{ id: 1 }], [{ id: 1 }]],
  ['no window', null, [], []],
])('opens the save dialog on %s, and writes the file', async (_what, focused, all, parents) => {
  desktop.BrowserWindow.getFocusedWindow.mockReturnValue(focused)
  desktop.BrowserWindow.getAllWindows.mockReturnValue(all)
  const filePath = join(tempFolder(), 'list.csv')
  desktop.dialog.showSaveDialog.mockResolvedValue({ canceled: false, filePath })
  expect(await nativePorts.saveFile('list.csv', Buffer.from('a;b'))).toBe(filePath)
  expect(readFileSync(filePath, 'utf8')).toBe('a;b')
  expect(desktop.dialog.showSaveDialog).toHaveBeenLastCalledWith(...parents, { defaultPath: 'list.csv' })
})

test('reads proxies from the environment, else from Chromium’s settings', async () => {
  for (const name of ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy', 'NO_PROXY', 'no_proxy'])
    vi.stubEnv(name, undefined)
  expect(await nativePorts.resolveProxies('https://service.example')).toEqual([
    'http://a:8080',
    'https://b:443',
    'socks5://c:1080',
    null,
  ])
  vi.stubEnv('HTTPS_PROXY', 'http://proxy.example:3128')
  expect(await nativePorts.resolveProxies('https://service.example')).toEqual(['http://proxy.example:3128'])
  vi.unstubAllEnvs()
})

const words = (text: string) => text.trim().split(/\s+/)

test.each(words('https://dashboard.example/login?x#y http://127.0.0.1:8080/ HTTPS://Dashboard.example'))(
  'opens %s outside',
  (url) => {
    expect(isSafeExternalUrl(url)).toBe(true)
  },
)

test.each([
  '',
  ...words(String.raw`
    dashboard.example //dashboard.example https://user@dashboard.example/ https://user:word@dashboard.example/
    https://dashboard.example@evil.example/ javascript:alert(1) file:///etc/passwd smb://dashboard.example/x ms-msdt:/id
    app://console/ data:text/html,x ssh://dashboard.example/`),
])('does not open %j', (url) => {
  expect(isSafeExternalUrl(url)).toBe(false)
})
