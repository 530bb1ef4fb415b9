import { type ApiError, JetStreamApiError, type PubAck } from '@nats-io/jetstream'
import { createInbox, headers, type NatsConnection } from '@nats-io/transport-node'
import type { Clock } from '../../lib/clock.ts'

interface Pending {
  deadlineMs: number
  resolve(seq: number): void
  reject(error: Error): void
}

/**
 * Publishes into a stream, with one reply subscription and one timer for all messages. The library's own `publish`
 * creates a timer, several promises and an unused error for each.
 */
export function createPublisher({
  connection,
  subject,
  stream,
  timeoutMs,
  clock,
}: {
  connection: NatsConnection
  subject: string
  stream: string
  timeoutMs: number
  clock: Clock
}) {
  const inbox = `${createInbox()}.`
  /** By the end of the reply subject. All wait equally long, so they expire in this order. */
  const pending = new Map<string, Pending>()
  let sent = 0
  let cancelTimer: (() => void) | null = null
  const replies = connection.subscribe(`${inbox}*`, {
    callback(error, message) {
      if (error) return rejectAll(error)
      const key = message.subject.slice(inbox.length)
      const one = pending.get(key)
      pending.delete(key)
      try {
        one?.resolve(sequenceOf(message.data.length === 0 ? {} : message.json()))
      } catch (cause) {
        one?.reject(cause as Error)
      }
    },
  })

  function sequenceOf({ seq, stream: owner, error }: Partial<PubAck> & { error?: ApiError }): number {
    if (error) throw new JetStreamApiError(error)
    if (seq === undefined || owner === undefined) throw new Error('JetStream does not answer')
    if (owner !== stream) throw new Error(`The subject ${subject} belongs to the stream ${owner}`)
    return seq
  }

  function rejectAll(error: Error): void {
    const all = [...pending.values()]
    pending.clear()
    for (const { reject } of all) reject(error)
  }

  function expire(): void {
    cancelTimer = null
    for (const [key, { deadlineMs, reject }] of pending) {
      const leftMs = deadlineMs - clock.monotonic()
      if (leftMs > 0) return expireAfter(leftMs)
      pending.delete(key)
      reject(new Error('JetStream did not acknowledge in time'))
    }
  }

  function expireAfter(waitMs: number): void {
    cancelTimer = clock.after(waitMs, expire)
  }

  return {
    /** Resolves with the sequence once JetStream has acknowledged. It drops a second message with the same id. */
    publish: (id: string, data: Uint8Array): Promise<number> =>
      new Promise((resolve, reject) => {
        const key = String(++sent)
        const head = headers()
        head.set('Nats-Msg-Id', id)
        connection.publish(subject, data, { reply: inbox + key, headers: head })
        pending.set(key, { deadlineMs: clock.monotonic() + timeoutMs, resolve, reject })
        if (!cancelTimer) expireAfter(timeoutMs)
      }),
    close(): void {
      cancelTimer?.()
      replies.unsubscribe()
      rejectAll(new Error('The store is closed'))
    },
  }
}
