import { EventEmitter } from 'node:events'
import { beforeEach, expect, test, vi } from 'vitest'
import { quietLog } from '../../../helpers/quiet-log.ts'

// Outside Electron the package is just a path to a binary.
const desktop = vi.hoisted(() => ({
  app: { quit: vi.fn(), on: vi.fn() },
  dialog: { showMessageBox: vi.fn() },
}))
vi.mock('electron', () => desktop)
const { surviveChildren, surviveRenderer } = await import('#electron/hosts/electron/crashes.ts')
beforeEach(() => vi.clearAllMocks())

const settled = () => new Promise(setImmediate)
const said = () => desktop.dialog.showMessageBox.mock.calls.map(([, { message }]) => message as string)

/** A window whose questions get `answer`, with the errors that it logs. */
function openWindow(answer: number) {
  desktop.dialog.showMessageBox.mockResolvedValue({ response: answer })
  const webContents = Object.assign(new EventEmitter(), { reload: vi.fn(), forcefullyCrashRenderer: vi.fn() })
  const window = Object.assign(new EventEmitter(), { webContents, isDestroyed: () => false })
  const errors: string[] = []
  surviveRenderer(window as never, { ...quietLog, error: (text) => errors.push(text) })
  const crash = (reason = 'crashed') =>
    webContents.emit('render-process-gone', {}, { reason, exitCode: 1 }) && settled()
  return { window, webContents, errors, crash }
}

test.each([
  [0, 2, 0],
  [1, 1, 1],
])(
  'reloads a crashed page once without asking, then does what is answered: %i',
  async (answer, reloads, quits) => {
    const { webContents, crash } = openWindow(answer)
    await crash('clean-exit')
    expect(webContents.reload).not.toHaveBeenCalled()
    await crash()
    expect([webContents.reload.mock.calls.length, said()]).toEqual([1, []])
    await crash()
    expect(said()).toEqual(['This window crashed again.'])
    expect(webContents.reload).toHaveBeenCalledTimes(reloads)
    expect(desktop.app.quit).toHaveBeenCalledTimes(quits)
  },
)

test('reloads an unresponsive page in place, without a second question, only when asked', async () => {
  const waits = openWindow(0)
  waits.window.emit('unresponsive')
  waits.window.emit('unresponsive')
  await settled()
  expect(said()).toHaveLength(1)
  expect(waits.webContents.forcefullyCrashRenderer).not.toHaveBeenCalled()

  const { window, webContents, crash } = openWindow(1)
  await crash()
  window.emit('unresponsive')
  await settled()
  expect(webContents.forcefullyCrashRenderer).toHaveBeenCalled()
  await crash('killed')
  expect(webContents.reload).toHaveBeenCalledTimes(2)
})

test('logs a failing preload, and the end of other processes unless it was expected', () => {
  const { webContents, errors } = openWindow(0)
  webContents.emit('preload-error', {}, 'preload.cjs', new Error('thrown by a test'))
  expect(errors).toEqual(['The preload script failed'])
  const ended: unknown[] = []
  surviveChildren({ ...quietLog, error: (_text, data) => ended.push(data) })
  const [, gone] = desktop.app.on.mock.lastCall as [string, (event: object, details: object) => void]
  for (const [reason, name] of [
    ['clean-exit', 'GPU'],
    ['killed', 'Switchboard keychain'],
    ['crashed', 'GPU'],
  ])
    gone({}, { type: 'x', reason, exitCode: 1, name })
  expect(ended).toMatchObject([{ reason: 'crashed', name: 'GPU' }])
})
