import { getPriority } from 'node:os'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'

const source = new URL('../../../electron/lib/yield-to-others.ts', import.meta.url).href

test.runIf(process.platform === 'linux')('lowers only the calling thread’s priority', async () => {
  const before = getPriority()
  const worker = new Worker(
    `const { parentPort } = require('node:worker_threads')
       const { readlinkSync } = require('node:fs')
       const { getPriority } = require('node:os')
       import('${source}').then(({ yieldToOthers }) => {
         yieldToOthers()
         parentPort.postMessage(getPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1))))
       })`,
    { eval: true },
  )
  const niceness = await new Promise<number>((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  })
  await worker.terminate()
  expect(niceness).toBe(4)
  expect(getPriority()).toBe(before)
})
