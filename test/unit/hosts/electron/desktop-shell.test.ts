import { EventEmitter } from 'node:events'
import { expect, test, vi } from 'vitest'

// Outside Electron the package is just a path to a binary.
type Item = { label?: string; role?: string; click?: () => void }
let popup: Item[] = []
vi.mock('electron', () => ({
  app: {},
  dialog: {},
  Menu: { buildFromTemplate: (items: Item[]) => ({ popup: () => void (popup = items) }) },
  nativeImage: {},
  powerMonitor: {},
}))
const { interruptedWork } = await import('#electron/hosts/electron/closing.ts')
const { selectedNumber } = await import('#electron/hosts/electron/context-menu.ts')
const { installContextMenu } = await import('#electron/hosts/electron/context-menu.ts')
const { collectOpened, openedByArguments } = await import('#electron/hosts/electron/opened.ts')
const { trayBitmaps, trayPixels } = await import('#electron/hosts/electron/tray-icon.ts')

test.each([
  ['+44 (20) 7946-0018', '+442079460018'],
  ['  0171 123 45 67\n', '01711234567'],
  ['+49\u00a0151\u00a01234567', '+491511234567'],
  ['00442079460018', '00442079460018'],
  ...['', 'delivered', '12:30', '12,345', '12345', '+1'.repeat(20), 'call +44 20 7946 0018'].map(
    (text): [string, null] => [text, null],
  ),
  ['1234567890123456', null],
])('reads the selection %j as the number %s', (selection, number) => {
  expect(selectedNumber(selection)).toBe(number)
})

test('finds links and lists among the arguments and ignores the rest', () => {
  const args = [
    '--data-dir',
    '/data/list.csv',
    '--flag=a.csv',
    'switchboard://events',
    'A b.CSV',
    '/tmp/x.png',
    '.',
  ]
  expect(openedByArguments(args, '/home/ada')).toEqual([
    { kind: 'link', link: 'switchboard://events' },
    { kind: 'file', path: '/home/ada/A b.CSV' },
  ])
})

test('reads the addresses that a Linux file manager passes', () => {
  const args = [
    'file:///home/ada/A%20b%20%C3%B1%23.csv',
    'FILE:///tmp/x.png',
    'file:///bad%2Fname.csv',
    'file://%/bad.csv',
  ]
  expect(openedByArguments(args, '/home/ada')).toEqual([{ kind: 'file', path: '/home/ada/A b ñ#.csv' }])
})

test('names what a quit interrupts, and nothing when idle', () => {
  expect(interruptedWork(null)).toBeNull()
  expect(interruptedWork({ work: { tasks: 0, requests: 0 } })).toBeNull()
  expect(interruptedWork({ work: { tasks: 2, requests: 1204 } })).toBe(
    '2 tasks are running. 1,204 requests are being sent. Work continues when you open Switchboard again. No events are received until then.',
  )
})

test.each([1, 1.5, 2])('draws each tray state in its own shape at %d×', (scale) => {
  const alpha = (state: 'listening' | 'trouble' | 'offline') => {
    const pixels = trayPixels(state, scale, true)
    expect(pixels.length).toBe(Math.round(16 * scale) ** 2 * 4)
    // A template image is black; only its alpha matters.
    expect(pixels.every((byte, index) => index % 4 === 3 || byte === 0)).toBe(true)
    return Buffer.from(pixels.filter((_byte, index) => index % 4 === 3)).toString('hex')
  }
  expect(new Set([alpha('listening'), alpha('trouble'), alpha('offline')]).size).toBe(3)
})

test('draws the tray icon in all scales of a screen, and large for Windows, which scales the first one itself', () => {
  expect(trayBitmaps('linux')).toEqual([
    { sidePx: 16, scaleFactor: 1 },
    { sidePx: 24, scaleFactor: 1.5 },
    { sidePx: 32, scaleFactor: 2 },
    { sidePx: 48, scaleFactor: 3 },
  ])
  expect(trayBitmaps('win32')).toEqual([{ sidePx: 48, scaleFactor: 1 }])
})

test('offers editing on right-click, and finds the contact of a selected number', () => {
  const window = { webContents: new EventEmitter() }
  const asked: unknown[] = []
  installContextMenu(window as never, (request) => asked.push(request))
  const rightClick = (selectionText: string, isEditable: boolean) => {
    window.webContents.emit('context-menu', {}, { selectionText, isEditable, editFlags: {} })
    return popup.map(({ role, label }) => role ?? label ?? '')
  }
  expect(rightClick('', true)).toEqual(['cut', 'copy', 'paste', 'selectAll'])
  expect(rightClick('delivered', false)).toEqual(['copy', 'selectAll'])
  expect(rightClick(' +44 (20) 7946-0018 ', false)).toEqual([
    'Look up +442079460018',
    '',
    'copy',
    'selectAll',
  ])
  popup[0]!.click!()
  expect(asked).toEqual([{ kind: 'page', path: '/contacts?text=%2B442079460018' }])
})

test('keeps what is opened until the window can take it, from arguments, macOS and a second start', () => {
  const app = Object.assign(new EventEmitter(), { isPackaged: true, setAsDefaultProtocolClient: vi.fn() })
  const opened = collectOpened(app as never)
  expect(app.setAsDefaultProtocolClient).toHaveBeenCalledWith('switchboard')
  const event = { preventDefault: vi.fn() }
  app.emit('open-url', event, 'switchboard://outbox')
  const taken: unknown[] = []
  const showWindow = vi.fn()
  opened.deliverTo((request) => taken.push(request), showWindow)
  expect(taken).toEqual([{ kind: 'link', link: 'switchboard://outbox' }])
  expect(showWindow).not.toHaveBeenCalled()
  app.emit('open-file', event, '/tmp/people.csv')
  app.emit('second-instance', {}, [], '', { args: ['fair.csv'], cwd: '/home/ada' })
  app.emit('second-instance', {}, [], '', { args: 'x' })
  expect(taken.slice(1)).toEqual([
    { kind: 'file', path: '/tmp/people.csv' },
    { kind: 'file', path: '/home/ada/fair.csv' },
  ])
  expect(event.preventDefault).toHaveBeenCalledTimes(2)
  expect(showWindow).toHaveBeenCalledTimes(3)
})
