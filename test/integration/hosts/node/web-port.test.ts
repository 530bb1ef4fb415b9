import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startConsole } from '../../../helpers/start-console.ts'
import { tempFolder } from '../../../helpers/temp-folder.ts'

test('restarts on its last port, or on another when it is taken', async () => {
  const dataDir = tempFolder()
  const originOf = async () => {
    const console = await startConsole({ dataDir })
    await console.stop()
    return console.origin
  }
  const first = await originOf()
  expect(await originOf()).toBe(first)
  const squatter = createServer().listen(Number(new URL(first).port), '127.0.0.1')
  onTestFinished(() => void squatter.close())
  await new Promise((resolve) => squatter.once('listening', resolve))
  expect(await originOf()).not.toBe(first)
})
