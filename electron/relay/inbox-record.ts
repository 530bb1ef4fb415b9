import { existsSync, readFileSync, renameSync } from 'node:fs'
import * as z from 'zod'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { FeedGap } from '../listener/feed-protocol.ts'
import { writeDurably } from './durable-file.ts'

/** Deliveries that were dropped although a registered token had not read them. */
const dropped = z.object({
  fromSeq: z.number(),
  toSeq: z.number(),
  count: z.number(),
  fromMs: z.number(),
  toMs: z.number(),
})
export type Dropped = z.infer<typeof dropped>

const shape = z.object({
  relayId: z.string(),
  /** By token name. `base`: last sequence before the token was registered. */
  readers: z.record(z.string(), z.object({ base: z.number(), upTo: z.number() })),
  dropped: z.array(dropped),
})
type Contents = z.infer<typeof shape>

/** Losing the last second of acknowledgements only keeps deliveries a little longer. */
const saveEveryMs = 1_000
/** Drops within an hour become one gap. */
const sameDropMs = 3_600_000
const mostDrops = 500

function readContents(file: string, log: Log): Contents | null {
  if (!existsSync(file)) return null
  try {
    return shape.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    log.error('A record of readers was unreadable; it is set aside, and everything counts as unread', {
      file,
      error,
    })
    renameSync(file, `${file}.unreadable`)
    return null
  }
}

/** The highest sequence that a console has acknowledged in the numbering `relayId`; 0 when unknown. */
export function highestRead(file: string, relayId: string, log: Log): number {
  const contents = readContents(file, log)
  if (contents?.relayId !== relayId) return 0
  return Math.max(0, ...Object.values(contents.readers).map(({ upTo }) => upTo))
}

export type InboxRecord = ReturnType<typeof openInboxRecord>

/** What each token has read of an inbox, and what was dropped unread. One small file. */
export function openInboxRecord(file: string, relayId: string, clock: Clock, log: Log) {
  const found = readContents(file, log)
  // Another numbering: old positions mean nothing.
  const contents: Contents = found?.relayId === relayId ? found : { relayId, readers: {}, dropped: [] }
  let isChanged = false

  function save(): void {
    if (!isChanged) return
    writeDurably(file, JSON.stringify(contents))
    isChanged = false
  }
  const cancel = clock.every(saveEveryMs, () => {
    try {
      save()
    } catch (error) {
      log.warn('What consoles have read could not be saved', { error })
    }
  })

  return {
    /** A new token starts after `base`; a known one keeps its position. */
    register(token: string, base: number): void {
      if (contents.readers[token]) return
      contents.readers[token] = { base, upTo: base }
      isChanged = true
    },
    /** Removes tokens that are no longer registered. */
    keepOnly(tokens: readonly string[]): void {
      for (const name of Object.keys(contents.readers)) {
        if (tokens.includes(name)) continue
        Reflect.deleteProperty(contents.readers, name)
        isChanged = true
      }
    },
    /** Null for an unregistered token. */
    reader: (token: string): { base: number; upTo: number } | null => contents.readers[token] ?? null,
    /** The console's own position counts, also when it is lower than before, for example after a restore. */
    startReading(token: string, upTo: number): void {
      const base = Math.min(contents.readers[token]?.base ?? upTo, upTo)
      contents.readers[token] = { base, upTo }
      isChanged = true
    },
    acknowledge(token: string, seq: number): void {
      const reader = contents.readers[token]
      if (!reader || reader.upTo >= seq) return
      reader.upTo = seq
      isChanged = true
    },
    /** Every registered token has read up to here; Infinity without tokens. */
    readByAll: (): number => Math.min(...Object.values(contents.readers).map(({ upTo }) => upTo)),
    /** Deliveries up to `lastSeq` that each token has not acknowledged. */
    unread: (lastSeq: number): Record<string, number> =>
      Object.fromEntries(
        Object.entries(contents.readers).map(([name, { upTo }]) => [name, Math.max(0, lastSeq - upTo)]),
      ),
    /** Saved before the deliveries are deleted, so that no gap goes unmentioned. */
    recordDrop(drop: Dropped): void {
      const last = contents.dropped.at(-1)
      if (last && last.toSeq + 1 === drop.fromSeq && drop.toMs - last.fromMs < sameDropMs) {
        last.toSeq = drop.toSeq
        last.toMs = drop.toMs
        last.count += drop.count
      } else contents.dropped.push(drop)
      if (contents.dropped.length > mostDrops) {
        const [first, second] = contents.dropped.splice(0, 2) as [Dropped, Dropped]
        contents.dropped.unshift({
          ...second,
          fromSeq: first.fromSeq,
          fromMs: first.fromMs,
          count: first.count + second.count,
        })
      }
      isChanged = true
      save()
    },
    /** Missing numbers as the feed tells them. */
    gap(fromSeq: number, toSeq: number): FeedGap {
      const inside = contents.dropped.filter((one) => one.toSeq >= fromSeq && one.fromSeq <= toSeq)
      return {
        type: 'gap',
        fromSeq,
        toSeq,
        count: toSeq - fromSeq + 1,
        fromMs: inside[0]?.fromMs ?? null,
        toMs: inside.at(-1)?.toMs ?? null,
      }
    },
    close(): void {
      cancel()
      save()
    },
  }
}
