import { afterEach, expect, test, vi } from 'vitest'

const relaunched: NodeJS.ProcessEnv[] = []
// Outside Electron the package is just a path to a binary.
const desktop = vi.hoisted(() => ({
  quit: vi.fn(),
  exit: vi.fn(),
  showMessageBox: vi.fn(),
  showErrorBox: vi.fn(),
}))
vi.mock('electron', () => ({
  app: { relaunch: () => relaunched.push({ ...process.env }), quit: desktop.quit, exit: desktop.exit },
  dialog: { showMessageBox: desktop.showMessageBox, showErrorBox: desktop.showErrorBox },
}))
const { refuse, restartMessage, restartStuck } = await import('#electron/hosts/electron/refusal.ts')
const { UsageError } = await import('#electron/lib/command-line.ts')
const { withdrawSecrets } = await import('#electron/hosts/withdrawn-secrets.ts')

const { send } = process
const { exitCode } = process
afterEach(() => {
  process.exitCode = exitCode
  relaunched.length = 0
  vi.restoreAllMocks()
  process.send = send!
})

/** Runs `act` as if a launcher were there or not. No longer than that: the test runner sends over the same channel. */
async function withLauncher(isThere: boolean, act: () => unknown): Promise<void> {
  const connected = vi.spyOn(process, 'connected', 'get').mockReturnValue(isThere)
  try {
    await act()
  } finally {
    connected.mockRestore()
  }
}

test('relaunches a stuck app with its secrets, and ends it by force', async () => {
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true)
  process.env['SWITCHBOARD_API_KEY'] = 'k-1'
  withdrawSecrets()
  await withLauncher(false, restartStuck)
  expect(relaunched).toEqual([expect.objectContaining({ SWITCHBOARD_API_KEY: 'k-1' })])
  expect(Number(relaunched[0]!['SWITCHBOARD_STALLED_MS'])).toBeGreaterThan(0)
  expect(process.env['SWITCHBOARD_API_KEY']).toBeUndefined()
  expect(kill).toHaveBeenCalledWith(process.pid, 'SIGKILL')
})

test('asks its launcher for the restart of a stuck app', async () => {
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true)
  process.send = (message: unknown, ...rest: unknown[]) => {
    expect(message).toBe(restartMessage)
    expect(kill).not.toHaveBeenCalled()
    ;(rest[0] as () => void)()
    return true
  }
  await withLauncher(true, restartStuck)
  expect(kill).toHaveBeenCalledWith(process.pid, 'SIGKILL')
})

test.each([
  ['its launcher restarts it', 0, true, 75, 0],
  ['it relaunches itself', 0, false, 1, 1],
  ['it only ends', 1, false, 1, 0],
])('after a fatal failure %s', async (_what, response, hasLauncher, code, relaunches) => {
  // A restart is offered once per process.
  vi.resetModules()
  const { offerRestart } = await import('#electron/hosts/electron/refusal.ts')
  const secrets = await import('#electron/hosts/withdrawn-secrets.ts')
  vi.stubEnv('SWITCHBOARD_API_KEY', 'k-1')
  secrets.withdrawSecrets()
  desktop.showMessageBox.mockClear().mockResolvedValue({ response })
  desktop.quit.mockClear()
  await withLauncher(hasLauncher, () =>
    Promise.all([offerRestart('It failed.', '/data'), offerRestart('It failed again.', '/data')]),
  )
  expect(desktop.showMessageBox.mock.calls).toMatchObject([[{ message: 'It failed.' }]])
  expect(process.exitCode).toBe(code)
  expect(relaunched.map((env) => env['SWITCHBOARD_API_KEY'])).toEqual(Array(relaunches).fill('k-1'))
  expect(desktop.quit).toHaveBeenCalledTimes(1)
})

test('says why it can’t run on the desktop and in the terminal, and ends', () => {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  refuse(new UsageError('This can’t be.'))
  expect(written).toHaveBeenCalledWith('This can’t be.\n')
  expect(desktop.showErrorBox).toHaveBeenCalledWith('Switchboard couldn’t start', 'This can’t be.')
  expect(desktop.exit).toHaveBeenCalledWith(2)
})
