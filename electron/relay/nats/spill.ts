import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Delivery } from '../../listener/journal.ts'
import { writeDurably } from '../durable-file.ts'
import { openJournalStore } from '../journal-store.ts'
import type { Backlog } from '../store.ts'

/** A delivery on its way into a stream. */
export interface Outgoing {
  delivery: Delivery
  /** `Nats-Msg-Id`: the server drops a second one for a while. */
  id: string
  /** The numbering, and its highest sequence before the first attempt: a stored delivery is above that. */
  numbering: string
  afterSeq: number
  /** Sent before, so it may be stored. */
  isSent: boolean
}

const step = { items: 256, bytes: 4 * 1024 * 1024 }
const retryMs = 500
const envelope = z.tuple([z.string(), z.string(), z.number(), z.boolean(), z.string()])
/** `journal` names its numbering: a recreated journal starts over. */
const position = z.object({ journal: z.string(), forwardedSeq: z.number() })

/** Keeps what another attempt needs in the headers' column of the journal. */
const toRow = ({ delivery, id, numbering, afterSeq, isSent }: Outgoing): Delivery => ({
  ...delivery,
  headersJson: JSON.stringify([id, numbering, afterSeq, isSent, delivery.headersJson]),
})

function fromRow(row: Delivery): Outgoing {
  const [id, numbering, afterSeq, isSent, headersJson] = envelope.parse(JSON.parse(row.headersJson))
  const { receivedMs, verdict, secretId, remote, body } = row
  return {
    delivery: { receivedMs, verdict, secretId, remote, headersJson, body },
    id,
    numbering,
    afterSeq,
    isSent,
  }
}

/**
 * Deliveries of one inbox on this machine's disk, in order, until `forward` has stored them. While it is active, every
 * delivery goes through it, so that later ones don't overtake.
 */
export function openSpill({
  folder,
  forward,
  clock,
  log,
}: {
  folder: string
  /** Stores all of them or rejects. `mayBeStored`: an earlier attempt was interrupted. */
  forward: (items: readonly Outgoing[], mayBeStored: boolean) => Promise<void>
  clock: Clock
  log: Log
}) {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const store = openJournalStore({ folder, clock, log })
  const positionFile = join(folder, 'forwarded.json')
  let forwardedSeq = readPosition()
  let writing = 0
  let lost = 0
  let isClosed = false
  let forwarding: Promise<void> | null = null
  const waiting = () => Math.max(0, store.lastSeq() - forwardedSeq)

  function readPosition(): number {
    try {
      const known = position.parse(JSON.parse(readFileSync(positionFile, 'utf8')))
      return known.journal === store.id ? known.forwardedSeq : 0
    } catch (error) {
      if (existsSync(positionFile)) log.error('Deliveries may be forwarded twice', { error })
      return 0
    }
  }

  function countLost(count: number): void {
    if (count <= 0) return
    lost += count
    log.error('Acknowledged deliveries are missing from this relay’s disk', { count })
  }

  async function forwardAll(mayBeStored: boolean): Promise<void> {
    let isRepeated = mayBeStored
    const sinceMs = clock.now()
    let count = 0
    while (!isClosed && (waiting() > 0 || writing > 0)) {
      try {
        const rows = await store.readAfter(forwardedSeq, step)
        const last = rows.at(-1)
        if (!last) {
          // Their commit is under way, or their rows are gone.
          if (writing === 0) {
            countLost(waiting())
            finish(store.lastSeq())
          }
          await clock.sleep(1)
          continue
        }
        await forward(rows.map(fromRow), isRepeated)
        countLost(last.seq - forwardedSeq - rows.length)
        finish(last.seq)
        await store.dropUpTo(last.seq)
        count += rows.length
        isRepeated = false
      } catch (error) {
        isRepeated = true
        log.debug('Forwarding failed', { error })
        if (!isClosed) await clock.sleep(retryMs)
      }
    }
    if (!isClosed && count > 0) log.info('All deliveries are forwarded', { count, sinceMs })
  }

  function finish(seq: number): void {
    writeDurably(positionFile, JSON.stringify({ journal: store.id, forwardedSeq: seq }))
    forwardedSeq = seq
  }

  function start(mayBeStored: boolean): void {
    forwarding ??= forwardAll(mayBeStored).finally(() => {
      forwarding = null
      // One may have come in the last turn.
      if (!isClosed && (waiting() > 0 || writing > 0)) start(false)
    })
  }
  if (waiting() > 0) {
    log.warn('Deliveries from an earlier run wait on this disk', { count: waiting() })
    start(true)
  }

  return {
    isActive: () => forwarding !== null,
    /** Resolves when durable. Rejects with an `AppError`. */
    async add(item: Outgoing): Promise<void> {
      writing++
      if (!forwarding)
        log.warn('JetStream does not answer; deliveries are stored on this disk and forwarded later')
      start(false)
      try {
        await store.append([toRow(item)])
      } finally {
        writing--
      }
    },
    storing: store.storing,
    touch: store.touch,
    backlog: (): Backlog => ({ deliveries: waiting() + writing, lost }),
    async close(): Promise<void> {
      isClosed = true
      await forwarding
      await store.close()
    },
  }
}
