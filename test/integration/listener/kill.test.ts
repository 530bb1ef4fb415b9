import { join } from 'node:path'
import { expect, it } from 'vitest'
import { checkFile } from '#electron/database/check.ts'
import { openJournal } from '#electron/listener/journal.ts'
import { openEvents } from '../../helpers/open-events.ts'
import { quietLog } from '../../helpers/quiet-log.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'
import { type Load, sendUntilBroken, startReceiving } from './load.ts'

/** `SWITCHBOARD_KILLS=1000` runs it at full size; see test/README.md. */
const kills = Number(process.env['SWITCHBOARD_KILLS'] ?? 2)

/** A heartbeat is written with a commit once a second. Allows for a slow machine; some runs are longer. */
const signOfLifeMs = 3_000
const longLifeMs = 4_500

/** Journal and events after the kills, read and completed by the console's own code. */
async function readAll(folder: string) {
  const journalFile = join(folder, 'journal.db')
  expect(checkFile(journalFile)).toEqual([])
  expect(checkFile(join(folder, 'state.db'))).toEqual([])
  const journal = openJournal({ file: journalFile, log: quietLog, now: Date.now })
  expect(journal.loss).toBeUndefined()
  const { feature, reader, db, close } = openEvents(journalFile)
  await feature.projector.caughtUp()
  const shown = new Map<string, number>()
  let copies = 0
  for (let cursor: number | undefined; ;) {
    const page = await feature.service.search({ filter: {}, limit: 500, cursor })
    for (const event of page.items) {
      shown.set(event.messageId!, (shown.get(event.messageId!) ?? 0) + 1)
      copies += event.copies
    }
    if (page.nextCursor === null) break
    cursor = page.nextCursor
  }
  const journalled = db.prepare<[], number>('SELECT watermark FROM projector').pluck().get()
  const spans = reader.spans(0)
  await close()
  journal.close()
  return { shown, copies, journalled, spans }
}

it(
  `a listener and its projector under load lose and repeat no acknowledged delivery over ${kills} kills -9, and record its true listening periods`,
  async () => {
    const folder = tempFolder()
    const acknowledged: Load['acknowledged'] = []
    const lives: { startedMs: number; lastMs: number; killedMs: number }[] = []
    for (let round = 0; round < kills; round++) {
      const { child, port } = await startReceiving('receiving-process.ts', [folder])
      const startedMs = Date.now()
      const isLong = round % 4 === 3 || round === kills - 1
      // A long run tests heartbeats rather than load.
      const load = sendUntilBroken(port, `r${round}`, isLong ? 2 : 16)
      while (load.acknowledged.length < 16) await new Promise((resolve) => setTimeout(resolve, 5))
      const lifeMs = isLong ? longLifeMs : (round * 37) % 300
      await new Promise((resolve) => setTimeout(resolve, lifeMs))
      const killedMs = Date.now()
      child.kill('SIGKILL')
      await load.broken
      acknowledged.push(...load.acknowledged)
      lives.push({ startedMs, lastMs: load.acknowledged.at(-1)!.atMs, killedMs })
    }
    const { shown, copies, journalled, spans } = await readAll(folder)
    expect(acknowledged.filter(({ id }) => !shown.has(id))).toEqual([])
    expect([...shown].filter(([, times]) => times > 1)).toEqual([])
    // Every stored delivery is an event or a duplicate; acknowledged ones are stored.
    expect(copies).toBe(journalled)
    expect(copies).toBeGreaterThanOrEqual(acknowledged.length)
    expect(acknowledged.length).toBeGreaterThanOrEqual(kills * 16)

    expect(spans.map(({ endReason }) => endReason)).toEqual(Array(kills).fill('crashed'))
    for (const [round, { startedMs, lastMs, killedMs }] of lives.entries()) {
      const span = spans[round]!
      // It claims no time after its end and misses at most a moment before it.
      expect(span.startedMs).toBeLessThanOrEqual(startedMs)
      expect(span.endedMs).toBeLessThanOrEqual(killedMs + 100)
      expect(span.endedMs).toBeGreaterThanOrEqual(Math.min(lastMs, killedMs) - signOfLifeMs)
      const next = spans[round + 1]
      if (next) expect(next.startedMs).toBeGreaterThanOrEqual(span.endedMs!)
    }
  },
  120_000 + kills * 10_000,
)
