import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openJournalReader } from '#electron/listener/journal-reader.ts'
import type { ListenerStats } from '#electron/listener/protocol.ts'
import { dlr, requestBytes, testSecret } from '../../helpers/listener.ts'
import { startListenerThread } from '../../helpers/listener-thread.ts'
import { rawRequest } from '../../helpers/raw-http.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'

async function startThread() {
  const journalFile = join(tempFolder(), 'journal.db')
  const grew: number[] = []
  const pushed: ListenerStats[] = []
  const lines: string[] = []
  const hears = {
    journalGrew: (lastSeq: number) => grew.push(lastSeq),
    stats: (stats: ListenerStats) => pushed.push(stats),
    log: (_level: string, message: string, data: unknown) => lines.push(message + JSON.stringify(data)),
  }
  const thread = await startListenerThread({ journalFile, secret: testSecret, hears })
  onTestFinished(async () => void (await thread.worker.terminate()))
  return { ...thread, journalFile, grew, pushed, lines }
}

describe('the listener thread', () => {
  it('takes deliveries, reports them in a few batches, and leaves nothing behind when stopped', async () => {
    const { worker, rpc, port, journalFile, grew, pushed } = await startThread()
    const count = 2_000
    const fromMs = performance.now()
    const answers = await rawRequest(
      port,
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

  it('takes new secrets, never reveals one, and answers a refusal as a value', async () => {
    const { rpc, port, lines } = await startThread()
    await rpc.setSecrets([{ id: 'second', label: 'Second', value: 'other' }])
    const [answer] = await rawRequest(port, requestBytes(dlr('m')))
    expect(answer!.status).toBe(401)
    expect(await rpc.refusals()).toMatchObject([{ reason: 'signature-mismatch' }])
    expect(await rpc.stats()).toMatchObject({ refused: { 'signature-mismatch': 1 } })
    const elsewhere = { host: '192.0.2.1', port: 0, path: '/webhooks', allowUnsigned: false }
    expect(await rpc.reconfigure(elsewhere)).toMatchObject({ kind: 'refused', code: 'ADDRESS_UNAVAILABLE' })
    await rpc.stop()
    expect(lines.join()).not.toContain(testSecret)
  })
})
