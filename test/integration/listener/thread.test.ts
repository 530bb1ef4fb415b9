import { createBirpc } from 'birpc'
import { once } from 'node:events'
import { join } from 'node:path'
import { MessageChannel, Worker } from 'node:worker_threads'
import { describe, expect, it, onTestFinished } from 'vitest'
import { entryUrl } from '#electron/lib/entry-url.ts'
import { openJournalReader } from '#electron/listener/journal-reader.ts'
import {
  type ListenerEvents,
  type ListenerFunctions,
  type ListenerStats,
  silentEvents,
} from '#electron/listener/protocol.ts'
import { dlr, requestBytes, testSecret } from '../../helpers/listener.ts'
import { rawRequest } from '../../helpers/raw-http.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'

function startThread() {
  const worker = new Worker(entryUrl('listener-thread'))
  const { port1, port2 } = new MessageChannel()
  worker.postMessage(port2, [port2])
  onTestFinished(async () => void (await worker.terminate()))
  const grew: number[] = []
  const pushed: ListenerStats[] = []
  const lines: string[] = []
  const rpc = createBirpc<ListenerFunctions, ListenerEvents>(
    {
      ...silentEvents,
      journalGrew: (lastSeq) => grew.push(lastSeq),
      stats: (stats) => pushed.push(stats),
      log: (_level, message, data) => lines.push(message + JSON.stringify(data)),
    },
    { post: (data) => port1.postMessage(data), on: (receive) => void port1.on('message', receive) },
  )
  return { worker, rpc, grew, pushed, lines }
}

const config = (journalFile: string) => ({
  journalFile,
  host: '127.0.0.1',
  port: 0,
  path: '/webhooks',
  allowUnsigned: false,
  secrets: [{ id: 'first', label: 'First', value: testSecret }],
})

describe('the listener thread', () => {
  it('takes deliveries, reports them in a few batches, and leaves nothing behind when stopped', async () => {
    const journalFile = join(tempFolder(), 'journal.db')
    const { worker, rpc, grew, pushed } = startThread()
    const started = await rpc.start(config(journalFile))
    if (started.kind !== 'listening') throw new Error(JSON.stringify(started))
    const count = 2_000
    const fromMs = performance.now()
    const answers = await rawRequest(
      started.port,
      Array.from({ length: count }, (_, index) => requestBytes(dlr(`m${index}`))).join(''),
      count,
    )
    const tookMs = performance.now() - fromMs
    expect(answers.every((answer) => answer.status === 200)).toBe(true)
    const reader = openJournalReader(journalFile)
    expect(reader.readAfter(0, count + 1)).toHaveLength(count)
    await rpc.stop()
    expect(grew.at(-1)).toBe(count)
    expect(grew.length).toBeLessThanOrEqual(tookMs / 20 + 3)
    expect(pushed[0]).toMatchObject({ refusedTotal: 0, storing: { kind: 'storing' } })
    expect(reader.spans(0)).toMatchObject([{ endReason: 'closed' }])
    reader.close()
    const exited = once(worker, 'exit')
    await worker.terminate()
    await exited
  })

  it('answers a refusal as a value, takes new secrets, and never reveals one', async () => {
    const journalFile = join(tempFolder(), 'journal.db')
    const { rpc, lines } = startThread()
    const refused = await rpc.start({ ...config(journalFile), host: '192.0.2.1' })
    expect(refused).toMatchObject({ kind: 'refused', code: 'ADDRESS_UNAVAILABLE' })
    const started = await rpc.start(config(journalFile))
    if (started.kind !== 'listening') throw new Error(JSON.stringify(started))
    await rpc.setSecrets([{ id: 'second', label: 'Second', value: 'other' }])
    const [answer] = await rawRequest(started.port, requestBytes(dlr('m')))
    expect(answer!.status).toBe(401)
    expect(await rpc.refusals()).toMatchObject([{ reason: 'signature-mismatch' }])
    expect(await rpc.stats()).toMatchObject({ refused: { 'signature-mismatch': 1 } })
    await rpc.stop()
    expect(lines.join()).not.toContain(testSecret)
  })
})
