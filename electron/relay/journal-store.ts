import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../contract/errors.ts'
import { prepareFolder } from '../database/files.ts'
import { createLogTruncation } from '../database/truncate-log.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { createPulse } from '../lib/pulse.ts'
import { createCommitQueue, type PendingDelivery } from '../listener/commit-queue.ts'
import { openJournalReader } from '../listener/journal-reader.ts'
import { type Delivery, openJournal } from '../listener/journal.ts'
import { defaultLimits } from '../listener/protocol.ts'
import { writeDurably } from './durable-file.ts'
import type { RelayStore } from './store.ts'

interface Waiting extends PendingDelivery {
  seq: number
}

/** The id is kept beside the journal, so that a deleted journal, whose numbers start over, has another one. */
function idOf(folder: string): string {
  const file = join(folder, 'relay-id')
  if (existsSync(join(folder, 'journal.db')) && existsSync(file)) return readFileSync(file, 'utf8').trim()
  const id = randomUUID()
  writeDurably(file, `${id}\n`)
  return id
}

/**
 * The embedded store: the listener's journal and group commit, in `folder`, whose parent must exist. One process at a
 * time. New numbers are above `continueAfterSeq`. Throws like `openJournal`.
 */
export function openJournalStore({
  folder,
  continueAfterSeq,
  clock,
  log,
}: {
  folder: string
  /** Highest number a console may have; needed when the journal was restored from an older copy. */
  continueAfterSeq?: (id: string) => number
  clock: Clock
  log: Log
}): RelayStore {
  const file = join(folder, 'journal.db')
  prepareFolder(file)
  const id = idOf(folder)
  const journal = openJournal({
    file,
    log,
    now: clock.now,
    clock,
    continueAfterSeq: continueAfterSeq?.(id) ?? 0,
    onDamage: (problems) => log.error('The journal is damaged; the next start repairs it', { problems }),
  })
  const reader = openJournalReader(file)
  const truncation = createLogTruncation(clock, journal.truncateLog)
  const grew = createPulse()
  let listeningPort: number | undefined
  const queue = createCommitQueue({
    append(deliveries) {
      const lastSeq = journal.append(deliveries)
      deliveries.forEach((one, at) => ((one as Waiting).seq = lastSeq - deliveries.length + 1 + at))
      grew.fire()
    },
    clock,
    storeDeadlineMs: defaultLimits.storeDeadlineMs,
    pendingBytes: defaultLimits.pendingBytes,
    busyDeliveries: Math.floor(defaultLimits.maxConnections / 4),
    onState(state) {
      if (state.kind === 'storing') log.info('Deliveries are stored again')
      else log.error('Could not store deliveries', { code: state.code, ...state.data })
    },
    beforeRecovery() {
      if (listeningPort === undefined) return
      journal.endSpan(journal.aliveMs(), 'not-stored')
      journal.beginSpan(clock.now(), listeningPort)
    },
  })

  const push = (delivery: Delivery): Promise<number> =>
    new Promise((resolve, reject) => {
      const waiting: Waiting = {
        ...delivery,
        arrivedMs: clock.monotonic(),
        seq: 0,
        settle(isStored) {
          if (isStored) return resolve(waiting.seq)
          const state = queue.state()
          reject(
            state.kind === 'storing' ? new AppError('STORAGE_BUSY') : new AppError(state.code, state.data),
          )
        },
      }
      queue.push(waiting)
    })

  return {
    id,
    append: (deliveries) => Promise.all(deliveries.map(push)),
    async readAfter(seq, { items, bytes }) {
      let room = bytes
      const rows = reader.readAfter(seq, items)
      const end = rows.findIndex(({ body }, at) => (room -= body.length) < 0 && at > 0)
      return end === -1 ? rows : rows.slice(0, end)
    },
    async dropUpTo(seq) {
      let dropped = 0
      for (let afterSeq: number | null = 0; afterSeq !== null;) {
        const step = journal.prune({ afterSeq, upToSeq: seq, beforeMs: Infinity, keep: [] })
        dropped += step.deleted
        afterSeq = step.nextSeq
        // Deliveries are acknowledged between two steps.
        await new Promise((resolve) => setImmediate(resolve))
      }
      return dropped
    },
    async erase(seqs, isAllowed) {
      const lastSeq = journal.lastSeq()
      const allowed = seqs.filter((seq) => {
        const row = seq < lastSeq ? reader.read(seq) : undefined
        return row && isAllowed(seq, row.body)
      })
      const erased = journal.erase(allowed)
      // A reader may block the first attempt.
      if (!journal.truncateLog()) truncation.soon()
      return erased
    },
    async extent() {
      const lastSeq = journal.lastSeq()
      return {
        firstSeq: reader.bodiesAfter(0, 1)[0]?.seq ?? lastSeq + 1,
        lastSeq,
        bytes: reader.room().usedBytes,
      }
    },
    lastSeq: journal.lastSeq,
    onGrew: grew.subscribe,
    storing: queue.state,
    backlog: () => null,
    beginListening(port) {
      listeningPort = port
      journal.beginSpan(clock.now(), port)
    },
    endListening(reason) {
      listeningPort = undefined
      journal.endSpan(clock.now(), reason)
    },
    touch: () => queue.probe(() => journal.touch(clock.now())),
    listening: async (sinceMs) => reader.spans(sinceMs),
    async close() {
      truncation.stop()
      queue.drain()
      reader.close()
      journal.close()
    },
  }
}
