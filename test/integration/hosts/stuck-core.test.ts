import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { spawnHost } from '../../helpers/host-process.ts'

function start(mode: string) {
  const host = spawnHost({
    file: join(import.meta.dirname, 'stuck-core-process.ts'),
    args: [mode],
    env: { KEPT: 'kept' },
  })
  onTestFinished(() => host.kill('SIGKILL'))
  return host
}

// No thread can be ended while it is inside SQLite, and `process.exit` waits for all threads.
test('restarts the process once when its core is stuck in a query, and stays down after that', async () => {
  const host = start('stall')
  const [, pid] = await host.line(/^up (\d+) stall kept$/)
  await host.line(/^after nothing$/)
  await host.line(/^error The core stalled; ending its thread$/)
  await host.line(/^error The core thread can’t be ended; restarting the process$/)
  await host.line(/^after stall$/)
  // On Windows the restart is another process.
  if (process.platform !== 'win32')
    expect(host.lines.filter((line) => line === `up ${pid} stall kept`)).toHaveLength(2)
  await host.line(/^error The core thread can’t be ended again$/)
  await host.line(/^final$/)
})

// Suspended, it looks like that, too.
test.runIf(process.platform === 'linux')('leaves a core alone that gets no processor time', async () => {
  const host = start('starve')
  await host.line(/^waiting$/)
  host.signal('SIGSTOP')
  await sleep(1_000)
  host.signal('SIGCONT')
  await host.line(/^answered after nothing$/)
  expect(host.lines.filter((line) => /^(error|crash|final)/.test(line))).toEqual([])
})

test('ends at a signal although its core is stuck in a query', async () => {
  const host = start('stop')
  await host.line(/^stuck$/)
  host.signal('SIGTERM')
  await host.line(/^stopped$/)
  expect(await host.exit).toMatchObject({ signal: 'SIGKILL' })
})
