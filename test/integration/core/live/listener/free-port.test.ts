import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { expect, onTestFinished, test, vi } from 'vitest'
import { nextFreePort, whyNotFree } from '#electron/core/live/listener/free-port.ts'
import { takePort } from '../../../../helpers/ports.ts'

/** Whether `task` looks for the program behind a port, which visits every process. */
async function looksForProgram(task: () => Promise<unknown>): Promise<boolean> {
  const read = vi.spyOn(fs, 'readdirSync')
  syncBuiltinESMExports()
  onTestFinished(syncBuiltinESMExports)
  onTestFinished(() => read.mockRestore())
  await task()
  return read.mock.calls.some(([path]) => path === '/proc')
}

test('skips a taken port without looking for the program that holds it', async () => {
  const { port } = await takePort()
  const looks = await looksForProgram(async () => {
    expect(await nextFreePort('127.0.0.1', port - 1)).toBeGreaterThan(port)
  })
  expect(looks).toBe(false)
})

test.runIf(process.platform === 'linux')('names the program of a port that you asked for', async () => {
  const { port } = await takePort()
  const looks = await looksForProgram(async () => {
    expect(await whyNotFree('127.0.0.1', port)).toMatchObject({ user: { key: 'listener.itself' } })
  })
  expect(looks).toBe(true)
})
