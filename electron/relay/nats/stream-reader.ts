import {
  type ConsumerMessages,
  DeliverPolicy,
  type JetStreamClient,
  type JetStreamManager,
} from '@nats-io/jetstream'
import type { Clock } from '../../lib/clock.ts'
import { createPulse, nextPulse, type Pulse } from '../../lib/pulse.ts'
import type { StoredDelivery } from '../store.ts'
import { decodeDelivery } from './message.ts'

/** Where in the stream one console continues to read. */
interface Cursor {
  /** Last sequence handed out. */
  at: number
  queue: StoredDelivery[]
  queuedBytes: number
  /** How many the server has after the newest one here; a hint. */
  pending: number
  messages: ConsumerMessages
  isWanted: boolean
  isDone: boolean
  lastUsedMs: number
  changed: Pulse
}

/** Fetched ahead for a console. */
const aheadMessages = 1_000
const aheadBytes = 2 * 1024 * 1024
/** A dead node is noticed within two heartbeats. */
const pull = { expires: 5_000, idle_heartbeat: 1_000 }
/** For a sequence known to exist, and for one that a server only expects. */
const knownWaitMs = 1_000
const hintWaitMs = 250
const idleMs = 30_000
const mostCursors = 128
/** Most that are read one by one, and how long after the first. */
const mostSingly = 200
const singlyMs = 2_000

/**
 * Reads a stream in order with one ordered consumer per place, or one by one where a consumer brings nothing. `onSeen` gets each sequence
 * that a consumer brings, and 0 once one ends. A message that is no delivery, as when someone else publishes to the subject, is skipped.
 */
export function createStreamReader({
  js,
  jsm,
  stream,
  subject,
  clock,
  lastSeq,
  onSeen,
  onUnreadable,
}: {
  js: JetStreamClient
  jsm: JetStreamManager
  stream: string
  subject: string
  clock: Clock
  lastSeq: () => number
  onSeen: (seq: number) => void
  onUnreadable: (seq: number, error: unknown) => void
}) {
  const cursors = new Set<Cursor>()
  /** The newest messages in a row that are no deliveries. */
  let unreadable = { from: 0, to: 0 }
  /** The newest sequence to wait for. */
  const readableUpTo = () => (unreadable.to === lastSeq() ? unreadable.from - 1 : lastSeq())

  function skip(seq: number, error: unknown): void {
    if (seq <= unreadable.to) return
    unreadable = { from: seq === unreadable.to + 1 ? unreadable.from : seq, to: seq }
    onUnreadable(seq, error)
  }

  async function openAfter(seq: number): Promise<Cursor> {
    if (cursors.size >= mostCursors) close([...cursors].sort((a, b) => a.lastUsedMs - b.lastUsedMs)[0]!)
    const consumer = await js.consumers.get(stream, {
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: seq + 1,
    })
    const { num_pending: pending } = await consumer.info(true)
    const messages = await consumer.consume({ max_messages: aheadMessages, ...pull })
    const cursor: Cursor = {
      at: seq,
      queue: [],
      queuedBytes: 0,
      pending,
      messages,
      isWanted: false,
      isDone: false,
      lastUsedMs: clock.monotonic(),
      changed: createPulse(),
    }
    cursors.add(cursor)
    void fill(cursor)
    return cursor
  }

  /** Iterates no further than `aheadBytes`: what is not iterated is not fetched. */
  async function fill(cursor: Cursor): Promise<void> {
    try {
      for await (const message of cursor.messages) {
        cursor.pending = message.info.pending
        try {
          const delivery = decodeDelivery(message.seq, message.data)
          cursor.queue.push(delivery)
          cursor.queuedBytes += delivery.body.length
        } catch (error) {
          skip(message.seq, error)
          onSeen(message.seq)
          continue
        }
        onSeen(message.seq)
        cursor.changed.fire()
        while (cursor.queuedBytes > aheadBytes && !cursor.isWanted && !cursor.isDone)
          await nextPulse(cursor.changed, clock, idleMs)
      }
    } catch {
      // The next read opens another cursor.
    } finally {
      close(cursor)
      onSeen(0)
    }
  }

  function close(cursor: Cursor): void {
    cursors.delete(cursor)
    cursor.isDone = true
    cursor.messages.stop()
    cursor.changed.fire()
  }

  /** Waits for as much as was requested, or for everything known to exist. */
  async function gather(cursor: Cursor, items: number, bytes: number): Promise<void> {
    for (;;) {
      if (cursor.isDone || cursor.queue.length >= items || cursor.queuedBytes >= bytes) return
      const newest = cursor.queue.at(-1)?.seq ?? cursor.at
      const waitMs = newest < readableUpTo() ? knownWaitMs : cursor.pending > 0 ? hintWaitMs : 0
      if (waitMs === 0) return
      const before = cursor.queue.length
      await nextPulse(cursor.changed, clock, waitMs)
      if (cursor.queue.length === before) return
    }
  }

  /** From the leader alone: a consumer can be placed at a node that doesn't answer. */
  async function readSingly(
    seq: number,
    { items, bytes }: { items: number; bytes: number },
  ): Promise<StoredDelivery[]> {
    const found: StoredDelivery[] = []
    const endMs = clock.monotonic() + singlyMs
    let room = bytes
    for (let at = seq; found.length < Math.min(items, mostSingly);) {
      if (found.length > 0 && clock.monotonic() > endMs) break
      const query = { seq: at + 1, next_by_subj: subject }
      const message = await jsm.streams.getMessage(stream, query)
      if (!message) break
      at = message.seq
      try {
        const delivery = decodeDelivery(at, message.data)
        room -= delivery.body.length
        if (room < 0 && found.length > 0) break
        found.push(delivery)
      } catch (error) {
        skip(at, error)
      }
    }
    return found
  }

  async function readAhead(
    seq: number,
    { items, bytes }: { items: number; bytes: number },
  ): Promise<StoredDelivery[]> {
    let cursor = [...cursors].find((one) => one.at === seq && !one.isWanted)
    if (!cursor && seq >= readableUpTo() && cursors.size > 0) {
      // Another cursor already reads the newest ones.
      const hasTail = ({ queue, queuedBytes, at }: Cursor) =>
        queuedBytes <= aheadBytes && (queue.at(-1)?.seq ?? at) >= seq
      if ([...cursors].some(hasTail)) return []
    }
    cursor ??= await openAfter(seq)
    cursor.isWanted = true
    cursor.changed.fire()
    try {
      await gather(cursor, items, bytes)
    } finally {
      cursor.isWanted = false
      cursor.lastUsedMs = clock.monotonic()
    }
    let room = bytes
    let count = 0
    while (count < Math.min(items, cursor.queue.length)) {
      room -= cursor.queue[count]!.body.length
      if (room < 0 && count > 0) break
      count++
    }
    const taken = cursor.queue.splice(0, count)
    cursor.queuedBytes -= taken.reduce((sum, { body }) => sum + body.length, 0)
    cursor.at = taken.at(-1)?.seq ?? cursor.at
    cursor.changed.fire()
    // Known, but not brought: the next read opens another.
    if (count === 0 && seq < readableUpTo()) close(cursor)
    return taken
  }

  return {
    async readAfter(seq: number, page: { items: number; bytes: number }): Promise<StoredDelivery[]> {
      const found = await readAhead(seq, page).catch((error: unknown) => {
        if (seq >= readableUpTo()) throw error
        return []
      })
      return found.length > 0 || seq >= readableUpTo() ? found : readSingly(seq, page)
    },
    /** Ends unused cursors, except one that receives new deliveries. */
    closeIdle(): void {
      const byPlace = [...cursors].sort((a, b) => b.at - a.at).slice(1)
      for (const cursor of byPlace)
        if (!cursor.isWanted && clock.monotonic() - cursor.lastUsedMs > idleMs) close(cursor)
    },
    /** Forgets what was fetched up to `seq`; everything when the stream was recreated. */
    forget(seq = Infinity): void {
      for (const cursor of [...cursors]) if (cursor.at < seq) close(cursor)
      if (seq === Infinity) unreadable = { from: 0, to: 0 }
    },
  }
}
