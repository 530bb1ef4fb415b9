import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkFile } from '#electron/database/check.ts'
import { openJournal, openJournalReader } from '#electron/listener/journal.ts'
import { dlr, requestBytes } from '../../helpers/listener.ts'
import { quietLog } from '../../helpers/quiet-log.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'

async function startProcess(journalFile: string): Promise<{ child: ChildProcess; port: number }> {
  const child = fork(join(import.meta.dirname, 'listener-process.ts'), [journalFile])
  const [message] = (await once(child, 'message')) as [{ port: number }]
  return { child, port: message.port }
}

/** Sends deliveries over several connections, one under way on each, until all are broken. @returns the ids acknowledged. */
async function sendUntilBroken(port: number, prefix: string, connections: number): Promise<string[]> {
  const acknowledged: string[] = []
  let next = 0
  const one = () =>
    new Promise<void>((resolve) => {
      const socket = connect({ port, host: '127.0.0.1' })
      let id = ''
      const send = () => {
        id = `${prefix}-${next++}`
        socket.write(requestBytes(dlr(id)))
      }
      socket.on('connect', send)
      socket.on('data', (data) => {
        if (data.toString('latin1', 9, 12) === '200') acknowledged.push(id)
        send()
      })
      socket.on('error', () => {})
      socket.on('close', () => resolve())
    })
  await Promise.all(Array.from({ length: connections }, one))
  return acknowledged
}

describe('kill -9 of a listener under load', () => {
  it('five times over: no acknowledged delivery is missing, and the record shows each end', async () => {
    const journalFile = join(tempFolder(), 'journal.db')
    const acknowledged: string[] = []
    for (let round = 0; round < 5; round++) {
      const { child, port } = await startProcess(journalFile)
      const sending = sendUntilBroken(port, `r${round}`, 16)
      await new Promise((resolve) => setTimeout(resolve, 150 + round * 37))
      child.kill('SIGKILL')
      acknowledged.push(...(await sending))
    }
    expect(acknowledged.length).toBeGreaterThan(50)
    expect(checkFile(journalFile)).toEqual([])
    const journal = openJournal({ file: journalFile, log: quietLog, now: Date.now })
    expect(journal.loss).toBeUndefined()
    const reader = openJournalReader(journalFile)
    const rows = reader.readAfter(0, 1_000_000)
    const stored = new Set(
      rows.map((row) => (JSON.parse(row.body.toString()) as { message_id: string }).message_id),
    )
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([])
    expect(rows.map((row) => row.seq)).toEqual(rows.map((_, index) => index + 1))
    expect(reader.spans(0).map((span) => span.endReason)).toEqual(Array(5).fill('crashed'))
    reader.close()
    journal.close()
  })
})
