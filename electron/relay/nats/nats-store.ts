import { randomUUID } from 'node:crypto'
import {
  DiscardPolicy,
  jetstream,
  type JetStreamManager,
  JetStreamApiError,
  RetentionPolicy,
  StorageType,
  type StreamInfo,
} from '@nats-io/jetstream'
import { nanos, type NatsConnection } from '@nats-io/transport-node'
import { AppError } from '../../contract/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { createPulse } from '../../lib/pulse.ts'
import type { Delivery } from '../../listener/journal.ts'
import type { StoringState } from '../../listener/protocol.ts'
import type { Documents } from '../documents.ts'
import { highestRead } from '../inbox-record.ts'
import type { RelayStore } from '../store.ts'
import { decodeDelivery, encodeDelivery } from './message.ts'
import { openPeriods } from './periods.ts'
import { openSpill, type Outgoing } from './spill.ts'
import { createStreamReader } from './stream-reader.ts'

/** The service waits 5 s for its answer. Two attempts fit; with a spill folder there is one. */
const publishTimeoutMs = 1_500
const storeDeadlineMs = 3_000
const requestTimeoutMs = 3_000
/**
 * The server drops a second message with the same id for this long. Deliveries sent again are at most half as old;
 * for older ones the relay looks into the stream first. So neither outages nor restarts store one twice.
 */
const sameIdMs = 120_000
/** Most bytes of deliveries waiting for an acknowledgement. */
const pendingBytes = 32 * 1024 * 1024
const reachWaitMs = 3_000
const reachPollMs = 100
/** A stream is recreated only after it was gone for this long: a cluster that restarts may not know it yet. */
const missingForMs = 10_000
/** A stream that ends below what was read from it for this long has lost deliveries. */
const shorterForMs = 10_000

interface InFlight extends Outgoing {
  resolve(seq: number): void
  reject(error: unknown): void
}

const disconnected = 'not connected'

const notStored = (error: unknown) =>
  new AppError('STORAGE_FAILED', { detail: `JetStream: ${(error as Error).message}` }, { cause: error })

const isMissing = (error: unknown) => error instanceof JetStreamApiError && error.status === 404

const makeStream = (
  { streams }: JetStreamManager,
  stream: string,
  subject: string,
  replicas: number,
): Promise<StreamInfo> =>
  streams.add({
    name: stream,
    subjects: [subject],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.New,
    num_replicas: replicas,
    duplicate_window: nanos(sameIdMs),
  })

/**
 * One inbox as a JetStream stream, for any number of relays at a time. With `spillFolder`, deliveries that JetStream
 * does not acknowledge in time are stored there and forwarded later.
 */
export async function openNatsStore({
  connection,
  isConnected = () => true,
  inbox,
  replicas,
  documents,
  spillFolder,
  instance,
  clock,
  log,
}: {
  connection: NatsConnection
  /** While false, nothing is sent: the library would queue it and send it much later. */
  isConnected?: () => boolean
  inbox: string
  replicas: number
  documents: Documents
  spillFolder: string | null
  /** Names a relay over restarts. */
  instance?: string | undefined
  clock: Clock
  log: Log
}): Promise<RelayStore> {
  const stream = `switchboard-inbox-${inbox}`
  const subject = `switchboard.inbox.${inbox}`
  const js = jetstream(connection, { timeout: requestTimeoutMs })
  const jsm = await js.jetstreamManager(false)
  let created = ''
  let highSeq = 0
  let missingSinceMs: number | null = null
  let shorterSinceMs: number | null = null
  let state: StoringState = { kind: 'storing' }
  let sent = 0
  let unacknowledgedBytes = 0
  let turn: Promise<void> | null = null
  const run = randomUUID().slice(0, 13)
  const inFlight = new Set<InFlight>()
  const grew = createPulse()
  const numberingKey = () => `numbering/${inbox}/${created.replace(/[^\d]/g, '')}`
  const id = () => `${stream}@${created}${documents.read(numberingKey()) ?? ''}`

  function seen(seq: number): void {
    if (seq > highSeq) highSeq = seq
    grew.fire()
  }

  async function findStream(): Promise<StreamInfo> {
    if (!isConnected()) throw new Error(disconnected)
    try {
      const info = await jsm.streams.info(stream)
      missingSinceMs = null
      return info
    } catch (error) {
      if (!isMissing(error)) throw error
      missingSinceMs ??= clock.monotonic()
      if (created !== '' && clock.monotonic() - missingSinceMs < missingForMs) throw error
      return makeStream(jsm, stream, subject, replicas)
    }
  }

  async function look(): Promise<StreamInfo> {
    const info = await findStream()
    if (info.created !== created) {
      if (created !== '') log.error('The stream was recreated; consoles read it from its start', { inbox })
      created = info.created
      highSeq = Math.max(info.state.last_seq, highestRead(documents, inbox, id()))
      reader.forget()
    }
    await checkLength(info)
    return info
  }

  /**
   * Nodes that lost their disk caches can come back without the newest messages, and give their numbers to others.
   * Consoles that have these numbers would skip the new ones, so the numbering gets another name.
   */
  async function checkLength({ state: { last_seq: lastSeq } }: StreamInfo): Promise<void> {
    if (lastSeq >= highSeq) {
      shorterSinceMs = null
      return
    }
    shorterSinceMs ??= clock.monotonic()
    if (clock.monotonic() - shorterSinceMs < shorterForMs) return
    log.error('The stream has lost its newest deliveries; consoles read it from its start', {
      inbox,
      lost: highSeq - lastSeq,
    })
    await documents.update(numberingKey(), () => `#${randomUUID().slice(0, 8)}`)
    highSeq = lastSeq
    shorterSinceMs = null
    grew.fire()
  }

  /** Deliveries of one turn go to the socket in one write: half the processor time of a write each. */
  const endOfTurn = () =>
    (turn ??= new Promise((resolve) =>
      setImmediate(() => {
        turn = null
        resolve()
      }),
    ))

  async function publish({ delivery, id }: Outgoing): Promise<number> {
    await endOfTurn()
    if (!isConnected()) throw new Error(disconnected)
    const { seq } = await js.publish(subject, encodeDelivery(delivery), {
      msgID: id,
      expect: { streamName: stream },
      timeout: publishTimeoutMs,
    })
    seen(seq)
    return seq
  }

  function setStoring(error?: unknown): void {
    if (error === undefined) {
      if (state.kind === 'not-storing') log.info('Deliveries are stored again', { inbox })
      state = { kind: 'storing' }
      return
    }
    if (state.kind === 'storing') log.error('JetStream does not store deliveries', { inbox, error })
    const { code, data } = notStored(error)
    state = { kind: 'not-storing', code, data, sinceMs: clock.now() }
  }

  /** Until the deadline, always with the same id. */
  async function publishAgain(item: Outgoing): Promise<number> {
    const endMs = clock.monotonic() + storeDeadlineMs - publishTimeoutMs
    for (;;) {
      try {
        const seq = await publish(item)
        setStoring()
        return seq
      } catch (error) {
        if (clock.monotonic() > endMs) {
          setStoring(error)
          throw notStored(error)
        }
        await clock.sleep(50)
      }
    }
  }

  function send(delivery: Delivery): Promise<number> {
    const size = delivery.body.length
    const item: Outgoing = {
      delivery,
      id: `${run}-${++sent}`,
      numbering: created,
      afterSeq: highSeq,
      isSent: false,
    }
    if (spill?.isActive()) return spill.add(item).then(() => 0)
    if (unacknowledgedBytes + size > pendingBytes) return Promise.reject(new AppError('STORAGE_BUSY'))
    unacknowledgedBytes += size
    const stored = spill ? publishOrSpill({ ...item, isSent: true }) : publishAgain(item)
    return stored.finally(() => (unacknowledgedBytes -= size))
  }

  const publishOrSpill = (item: Outgoing): Promise<number> =>
    new Promise((resolve, reject) => {
      const pending: InFlight = { ...item, resolve, reject }
      inFlight.add(pending)
      publish(item).then(
        (seq) => {
          if (inFlight.delete(pending)) resolve(seq)
        },
        () => {
          if (!inFlight.has(pending)) return
          // Those sent after it go too, so that the spill has them in order. A late acknowledgement does no harm: the
          // server drops the second message.
          const all = [...inFlight]
          inFlight.clear()
          all.forEach(moveToSpill)
        },
      )
    })

  function moveToSpill({ resolve, reject, ...item }: InFlight): void {
    spill!.add(item).then(() => resolve(0), reject)
  }

  /** Ids of messages after `afterSeq`. */
  async function idsAfter(afterSeq: number): Promise<Set<string>> {
    const ids = new Set<string>()
    const { last_seq: end } = (await look()).state
    if (end <= afterSeq) return ids
    const consumer = await js.consumers.get(stream, { opt_start_seq: afterSeq + 1, headers_only: true })
    const messages = await consumer.consume({ max_messages: 1_000, expires: 5_000, idle_heartbeat: 1_000 })
    const cancel = clock.after(60_000, () => messages.stop(new Error('The stream could not be read')))
    for await (const message of messages) {
      ids.add(message.headers?.get('Nats-Msg-Id') ?? '')
      if (message.seq >= end) break
    }
    cancel()
    return ids
  }

  async function forward(items: readonly Outgoing[], mayBeStored: boolean): Promise<void> {
    const suspects = items.filter(({ isSent, numbering }) => (isSent || mayBeStored) && numbering === created)
    const isOld = suspects.some(({ delivery }) => clock.now() - delivery.receivedMs > sameIdMs / 2)
    const stored = isOld ? await idsAfter(Math.min(...suspects.map(({ afterSeq }) => afterSeq))) : new Set()
    const results = await Promise.allSettled(items.filter((one) => !stored.has(one.id)).map(publish))
    const failed = results.find((one) => one.status === 'rejected')
    if (failed) throw failed.reason
  }

  const reader = createStreamReader({
    js,
    jsm,
    stream,
    subject,
    clock,
    lastSeq: () => highSeq,
    onSeen: seen,
    onUnreadable: (seq, error) => log.error('A message in the stream is no delivery', { inbox, seq, error }),
  })
  await look()
  const periods = openPeriods({ documents, inbox, instance, clock })
  const spill = spillFolder === null ? null : openSpill({ folder: spillFolder, forward, clock, log })

  return {
    get id() {
      return id()
    },
    append: (deliveries) => Promise.all(deliveries.map(send)),
    readAfter: reader.readAfter,
    async dropUpTo(seq) {
      const { last_seq: lastSeq } = (await look()).state
      // It purges below the given sequence.
      const { purged } = await jsm.streams.purge(stream, { seq: Math.min(seq + 1, lastSeq) })
      reader.forget(seq)
      return purged
    },
    async erase(seqs, isAllowed) {
      const { last_seq: lastSeq } = (await look()).state
      let erased = 0
      try {
        for (const seq of seqs) {
          const message = seq < lastSeq ? await jsm.streams.getMessage(stream, { seq }) : null
          if (!message || !isAllowed(seq, decodeDelivery(seq, message.data).body)) continue
          // It overwrites the message on the disk.
          if (await jsm.streams.deleteMessage(stream, seq)) erased++
        }
      } finally {
        reader.forget()
      }
      return erased
    },
    async extent(reach = 0) {
      const endMs = clock.monotonic() + reachWaitMs
      for (;;) {
        const { last_seq, first_seq, bytes } = (await look()).state
        if (last_seq >= Math.max(reach, highSeq) || clock.monotonic() > endMs) {
          if (last_seq > highSeq) highSeq = last_seq
          return { firstSeq: Math.max(first_seq, 1), lastSeq: highSeq, bytes }
        }
        await clock.sleep(reachPollMs)
      }
    },
    lastSeq: () => highSeq,
    onGrew: grew.subscribe,
    storing: () => spill?.storing() ?? state,
    backlog: () => spill?.backlog() ?? null,
    beginListening: periods.begin,
    endListening: periods.end,
    touch() {
      spill?.touch()
      reader.closeIdle()
      look().then(
        ({ state: { last_seq: lastSeq } }) => {
          if (lastSeq > highSeq) seen(lastSeq)
          if (!spill) setStoring()
          periods.touch(true)
        },
        (error: unknown) => {
          if (!spill) setStoring(error)
          periods.touch(spill?.storing().kind === 'storing')
        },
      )
    },
    listening: (sinceMs) => Promise.resolve(periods.list(sinceMs)),
    async close() {
      reader.forget()
      await spill?.close()
      await periods.close()
    },
  }
}
