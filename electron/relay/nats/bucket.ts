import { type JetStreamClient, JetStreamApiCodes, JetStreamApiError } from '@nats-io/jetstream'
import { Kvm } from '@nats-io/kv'
import type { Documents } from '../documents.ts'

const bucket = 'switchboard-relay'
const stream = `KV_${bucket}`
const subjects = `$KV.${bucket}.`
const mostAttempts = 20

interface Entry {
  revision: number
  /** Undefined after a removal. */
  text: string | undefined
}

const isConflict = (error: unknown) =>
  error instanceof JetStreamApiError &&
  (error.code === JetStreamApiCodes.StreamWrongLastSequence ||
    error.code === JetStreamApiCodes.StreamWrongLastSequenceUnknown)

/**
 * Documents as keys of a bucket. It reads changes in stream order from the leader, one request when there is none:
 * unlike a watch it can't stall when a node dies, and misses nothing that another relay wrote before.
 */
export async function openBucket(
  js: JetStreamClient,
  replicas: number,
  isConnected: () => boolean = () => true,
): Promise<Documents> {
  const kv = await new Kvm(js).create(bucket, { replicas, history: 1, allow_direct: false })
  const { streams } = await js.jetstreamManager(false)
  const known = new Map<string, Entry>()
  let seenSeq = 0
  let refreshing: Promise<void> | null = null

  async function follow(): Promise<void> {
    if (!isConnected()) throw new Error('NATS is not connected')
    for (;;) {
      const query = { seq: seenSeq + 1, next_by_subj: `${subjects}>` }
      const message = await streams.getMessage(stream, query)
      if (!message) return
      const isRemoved = message.header.get('KV-Operation') !== ''
      const text = isRemoved ? undefined : message.string()
      known.set(message.subject.slice(subjects.length), { revision: message.seq, text })
      seenSeq = message.seq
    }
  }
  const refresh = () => (refreshing ??= follow().finally(() => (refreshing = null)))

  await refresh()
  return {
    read: (key) => known.get(key)?.text,
    keys: (prefix) =>
      [...known]
        .filter(([key, { text }]) => text !== undefined && key.startsWith(prefix))
        .map(([key]) => key),
    async update(key, change) {
      for (let attempt = 1; ; attempt++) {
        const entry = known.get(key)
        const text = change(entry?.text)
        if (text === entry?.text) return
        if (!isConnected()) throw new Error('NATS is not connected')
        const previousSeq = entry?.revision ?? 0
        try {
          if (text === undefined) await kv.delete(key, { previousSeq })
          else await kv.put(key, text, { previousSeq })
          return await refresh()
        } catch (error) {
          if (!isConflict(error) || attempt === mostAttempts) throw error
          await refresh()
        }
      }
    },
    refresh,
    place: (key) => `the key ${key} of the bucket ${bucket}`,
  }
}
