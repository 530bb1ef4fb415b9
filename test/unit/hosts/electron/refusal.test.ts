import { afterEach, expect, test, vi } from 'vitest'

const relaunched: NodeJS.ProcessEnv[] = []
// Outside Electron the package is just a path to a binary.
vi.mock('electron', () => ({ app: { relaunch: () => relaunched.push({ ...process.env }) }, dialog: {} }))
const { restartMessage, restartStuck } = await import('#electron/hosts/electron/refusal.ts')
const { withdrawSecrets } = await import('#electron/hosts/withdrawn-secrets.ts')

const { send } = process
afterEach(() => {
  vi.restoreAllMocks()
  process.send = send!
})

test('relaunches a stuck app with its secrets, and ends it by force', () => {
  vi.spyOn(process, 'connected', 'get').mockReturnValue(false)
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true)
  process.env['SWITCHBOARD_API_KEY'] = 'k-1'
  withdrawSecrets()
  restartStuck()
  expect(relaunched).toEqual([expect.objectContaining({ SWITCHBOARD_API_KEY: 'k-1' })])
  expect(Number(relaunched[0]!['SWITCHBOARD_STALLED_MS'])).toBeGreaterThan(0)
  expect(process.env['SWITCHBOARD_API_KEY']).toBeUndefined()
  expect(kill).toHaveBeenCalledWith(process.pid, 'SIGKILL')
})

test('asks its launcher for the restart of a stuck app', () => {
  vi.spyOn(process, 'connected', 'get').mockReturnValue(true)
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true)
  process.send = (message: unknown, ...rest: unknown[]) => {
    expect(message).toBe(restartMessage)
    expect(kill).not.toHaveBeenCalled()
    ;(rest[0] as () => void)()
    return true
  }
  restartStuck()
  expect(kill).toHaveBeenCalledWith(process.pid, 'SIGKILL')
})
