import { expect, test } from './fixtures.ts'

/** What the console relies on in Electron. */
test('delivers nothing on a port before its start, its close last', async ({ desktop }) => {
  const seen = await desktop.main(
    ({ MessageChannelMain }) =>
      new Promise<unknown[]>((done) => {
        const { port1, port2 } = new MessageChannelMain()
        const events: unknown[] = []
        port2.on('message', ({ data }) => events.push(data))
        port2.on('close', () => done([...events, 'closed']))
        port1.postMessage('first')
        port1.postMessage('second')
        port1.close()
        port1.postMessage('too late')
        setImmediate(() => {
          events.push('started')
          port2.start()
        })
      }),
  )
  expect(seen).toEqual(['started', 'first', 'second', 'closed'])
})

test('starts and ends a thread per job, hundreds of times', async ({ desktop }) => {
  // Electron has aborted after many threads (electron#47986). Node, below the double, has not.
  test.skip(desktop.kind === 'double', 'needs Electron')
  const ended = await desktop.main(async () => {
    const { Worker } = process.getBuiltinModule('node:worker_threads')
    const { once } = process.getBuiltinModule('node:events')
    let done = 0
    for (; done < 500; done++) {
      const worker = new Worker('require("node:worker_threads").parentPort.postMessage(1)', { eval: true })
      await once(worker, 'message')
      // Cancelled tasks end their thread so.
      await worker.terminate()
    }
    return done
  })
  expect(ended).toBe(500)
})
