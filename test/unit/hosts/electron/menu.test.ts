import { afterEach, expect, test, vi } from 'vitest'
import type { MenuItemConstructorOptions } from 'electron'
import type { HostRequest } from '#electron/core/connection/desktop/desktop.service.ts'
import { join } from 'node:path'
import { quietLog } from '../../../helpers/quiet-log.ts'

// Outside Electron the package is just a path to a binary.
const desktop = vi.hoisted(() => ({
  app: { isPackaged: false, getName: () => 'Switchboard', getAppPath: () => '/nowhere' },
  Menu: { buildFromTemplate: (items: unknown) => items, setApplicationMenu: vi.fn() },
  shell: { openPath: vi.fn(() => Promise.resolve('')) },
}))
vi.mock('electron', () => desktop)
const { installMenu } = await import('#electron/hosts/electron/menu.ts')
const { setHostLanguage } = await import('#electron/hosts/texts.ts')

const { platform } = process
afterEach(() => {
  Object.defineProperty(process, 'platform', { value: platform })
  desktop.app.isPackaged = false
  setHostLanguage('en')
})

/** The menu as it is set on a platform. */
function menuOn(given: NodeJS.Platform) {
  Object.defineProperty(process, 'platform', { value: given })
  // Electron has this member, Node does not.
  Object.assign(process, { resourcesPath: '/nowhere' })
  const asked: HostRequest[] = []
  const quit = vi.fn()
  installMenu('/data', { ask: (request) => asked.push(request), quit }, quietLog)
  const [menus] = desktop.Menu.setApplicationMenu.mock.lastCall as [MenuItemConstructorOptions[]]
  const items = menus.flatMap(({ submenu }) => submenu as MenuItemConstructorOptions[])
  const click = (label: string) => (items.find((item) => item.label === label)!.click as () => void)()
  // Electron ignores an accelerator that it can’t read.
  for (const { accelerator } of items)
    expect(accelerator ?? 'A').toMatch(
      /^(?:(?:CmdOrCtrl|Cmd|Ctrl|Alt|Shift)\+)*(?:[A-Z0-9,./;']|F\d{1,2}|Plus)$/,
    )
  return { asked, quit, click, titles: menus.map(({ label }) => label), roles: items.map(({ role }) => role) }
}

test.each([
  ['About Switchboard', { kind: 'page', path: '/settings?section=about' }],
  ['Settings…', { kind: 'page', path: '/settings' }],
  ['Import contacts…', { kind: 'page', path: '/imports' }],
  ['Keyboard shortcuts', { kind: 'shortcuts' }],
] as const)('asks the page for %s', (label, request) => {
  const { asked, click } = menuOn('linux')
  click(label)
  expect(asked).toEqual([request])
})

test('opens the logs folder, and quits with a question', () => {
  const { quit, click } = menuOn('linux')
  click('Open logs folder')
  expect(desktop.shell.openPath).toHaveBeenCalledWith(join('/data', 'logs'))
  click('Quit')
  expect(quit).toHaveBeenCalled()
})

test.each([
  [false, true],
  [true, false],
])('in a package (%s) offers reload and developer tools: %s', (isPackaged, offers) => {
  desktop.app.isPackaged = isPackaged
  const { roles } = menuOn('win32')
  expect([roles.includes('reload'), roles.includes('toggleDevTools')]).toEqual([offers, offers])
})

test('has an application menu on a Mac only, and is in the language of the settings', () => {
  expect(menuOn('darwin').titles).toEqual(['Switchboard', 'File', 'Edit', 'View', 'Window', 'Help'])
  setHostLanguage('es')
  expect(menuOn('linux').titles).toEqual(['Archivo', 'Edición', 'Ver', 'Ventana', 'Ayuda'])
})
