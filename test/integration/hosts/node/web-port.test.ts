import { createServer } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startConsole } from '../../../helpers/start-console.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

let dataDir: string
beforeEach(() => void (dataDir = mkdtempSync(join(tmpdir(), 'switchboard-port-'))))
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

test('restarts on its last port, or on another when it is taken', async () => {
  const first = await startConsole({ dataDir })
  await first.stop()
  const second = await startConsole({ dataDir })
  expect(second.origin).toBe(first.origin)
  await second.stop()

  const squatter = createServer().listen(Number(new URL(first.origin).port), '127.0.0.1')
  await new Promise((resolve) => squatter.once('listening', resolve))
  const third = await startConsole({ dataDir })
  expect(third.origin).not.toBe(first.origin)
  await third.stop()
  await new Promise((resolve) => squatter.close(resolve))
})
