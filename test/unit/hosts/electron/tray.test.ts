import { EventEmitter } from 'node:events'
import { beforeEach, expect, test, vi } from 'vitest'
import type { DesktopState } from '#contract/connection/desktop.ts'
import type { Status } from '#contract/connection/status.ts'
import { ordinaryStatus } from '../../../helpers/scripted-answers.ts'
import { quietLog } from '../../../helpers/quiet-log.ts'

type Item = { label?: string; click?: () => void }

// Outside Electron the package is just a path to a binary.
const made: FakeTray[] = []
let isMissing = false
class FakeTray extends EventEmitter {
  text = ''
  menu: Item[] = []
  isDestroyed = () => false
  setImage = vi.fn()
  setToolTip = (text: string) => void (this.text = text)
  setContextMenu = vi.fn((menu: Item[]) => void (this.menu = menu))
  constructor() {
    super()
    if (isMissing) throw new Error('no tray')
    made.push(this)
  }
}
vi.mock('electron', () => ({
  Menu: { buildFromTemplate: (items: unknown) => items },
  Tray: FakeTray,
  nativeImage: { createFromBitmap: () => ({ addRepresentation() {}, setTemplateImage() {} }) },
}))
const { installTray } = await import('#electron/hosts/electron/tray.ts')
beforeEach(() => void (isMissing = false))

function install() {
  let status: (next: Status | null) => void = () => {}
  let state: (next: DesktopState | null) => void = () => {}
  const actions = { showWindow: vi.fn(), ask: vi.fn(), quit: vi.fn(), setSending: vi.fn() }
  const core = {
    onStatus: (heard: typeof status) => void (status = heard),
    onState: (heard: typeof state) => void (state = heard),
    setSending: actions.setSending,
  }
  const { isAvailable } = installTray({ core: core as never, ...actions, log: quietLog })
  const tray = made.at(-1)!
  const choose = (label: string) => tray.menu.find((item) => item.label === label)!.click!()
  const sending = (next: DesktopState['sending']) => state({ sending: next, troubled: [] } as never)
  return { ...actions, isAvailable, tray, choose, sending, status: (next: Status) => status(next) }
}

test('shows the state in its text and menu, drawn again only when it changed', () => {
  const { tray, status } = install()
  status(ordinaryStatus())
  expect(tray.text).toBe('Switchboard, Acme production: listening')
  expect(tray.menu.map(({ label }) => label ?? '')).toEqual([
    'Switchboard, Acme production: listening',
    '',
    'Open Switchboard',
    'Open Live events',
    '',
    'Quit Switchboard',
  ])
  status({ ...ordinaryStatus(), storedEvents: 5 })
  expect(tray.setContextMenu).toHaveBeenCalledTimes(1)
})

test('opens the window, pauses and resumes sending, and quits', () => {
  const { tray, status, sending, choose, ...actions } = install()
  status(ordinaryStatus())
  tray.emit('click')
  choose('Open Switchboard')
  expect(actions.showWindow).toHaveBeenCalledTimes(2)
  choose('Open Live events')
  expect(actions.ask).toHaveBeenCalledWith({ kind: 'page', path: '/events' })
  sending('on')
  choose('Pause sending')
  sending('paused')
  choose('Resume sending')
  expect(actions.setSending.mock.calls).toEqual([['paused'], ['on']])
  choose('Quit Switchboard')
  expect(actions.quit).toHaveBeenCalled()
})

test('says so where no tray can be made', () => {
  isMissing = true
  const { isAvailable } = installTray({
    core: {} as never,
    showWindow: vi.fn(),
    ask: vi.fn(),
    quit: vi.fn(),
    log: quietLog,
  })
  expect(isAvailable).toBe(false)
})
