import * as z from 'zod'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { FeedPage } from '../listener/feed-protocol.ts'
import { type Documents, readJson } from './documents.ts'

/** Deliveries that were dropped although a registered token had not read them. */
const dropped = z.object({
  fromSeq: z.number(),
  toSeq: z.number(),
  count: z.number(),
  fromMs: z.number(),
  toMs: z.number(),
})
export type Dropped = z.infer<typeof dropped>

/** `base`: last sequence before the token was registered. */
const readerShape = z.object({ relayId: z.string(), base: z.number(), upTo: z.number() })
const dropsShape = z.object({ relayId: z.string(), dropped: z.array(dropped) })
interface Reader {
  base: number
  upTo: number
}

/** Losing the last second of acknowledgements only keeps deliveries a little longer. */
const saveEveryMs = 1_000
/** Drops within an hour become one gap. */
const sameDropMs = 3_600_000
const mostDrops = 500

const readersKey = (inbox: string) => `readers/${inbox}/`

/** Null for another numbering, whose positions mean nothing, and for a damaged document: then all counts as unread. */
function parse<T extends { relayId: string }>(
  shape: z.ZodType<T>,
  text: string | undefined,
  relayId: string,
): T | null {
  const found = readJson(shape, text)
  return found?.relayId === relayId ? found : null
}

/** The highest sequence that a console has acknowledged in the numbering `relayId`; 0 when unknown. */
export const highestRead = (documents: Documents, inbox: string, relayId: string): number =>
  Math.max(
    0,
    ...documents
      .keys(readersKey(inbox))
      .map((key) => parse(readerShape, documents.read(key), relayId)?.upTo ?? 0),
  )

/** Adds a drop; nothing for one that another relay has recorded. */
function withDrop(drops: readonly Dropped[], drop: Dropped): Dropped[] {
  const all = [...drops]
  const last = all.at(-1)
  if (last && last.toSeq >= drop.toSeq) return all
  const known = last ? Math.max(0, last.toSeq - drop.fromSeq + 1) : 0
  const added = { ...drop, fromSeq: drop.fromSeq + known, count: Math.max(1, drop.count - known) }
  if (last && last.toSeq + 1 === added.fromSeq && added.toMs - last.fromMs < sameDropMs)
    all[all.length - 1] = {
      ...last,
      toSeq: added.toSeq,
      toMs: added.toMs,
      count: last.count + added.count,
    }
  else all.push(added)
  if (all.length > mostDrops) {
    const [first, second] = all.splice(0, 2) as [Dropped, Dropped]
    all.unshift({
      ...second,
      fromSeq: first.fromSeq,
      fromMs: first.fromMs,
      count: first.count + second.count,
    })
  }
  return all
}

export type InboxRecord = ReturnType<typeof openInboxRecord>

/** What each token has read of an inbox, and what was dropped unread; shared by all relays of a store. */
export function openInboxRecord({
  documents,
  inbox,
  relayId,
  clock,
  log,
}: {
  documents: Documents
  inbox: string
  /** The store's id. */
  relayId: () => string
  clock: Clock
  log: Log
}) {
  const keyOf = (token: string) => readersKey(inbox) + token
  const dropsKey = `drops/${inbox}`
  /** Positions that changed here. `isNew` ones give way to one that another relay has registered. */
  const unsaved = new Map<string, Reader & { isNew?: boolean }>()
  let saving: Promise<void> = Promise.resolve()

  const stored = (token: string) => parse(readerShape, documents.read(keyOf(token)), relayId())
  const reader = (token: string): Reader | null => unsaved.get(token) ?? stored(token)
  const names = () => {
    const saved = documents.keys(keyOf('')).map((key) => key.slice(keyOf('').length))
    return [...new Set([...saved.filter(stored), ...unsaved.keys()])]
  }
  const drops = (text: string | undefined) => parse(dropsShape, text, relayId())?.dropped ?? []

  async function saveAll(): Promise<void> {
    for (const [token, one] of unsaved) {
      const { base, upTo, isNew } = one
      await documents.update(keyOf(token), (newest) =>
        isNew && parse(readerShape, newest, relayId())
          ? newest
          : JSON.stringify({ relayId: relayId(), base, upTo }),
      )
      if (unsaved.get(token) === one) unsaved.delete(token)
    }
  }
  /** One at a time. Rejects when it could not save. */
  const save = () => (saving = saving.catch(() => {}).then(saveAll))

  let canSave = true
  const cancel = clock.every(saveEveryMs, () => {
    save().then(
      () => (canSave = true),
      (error: unknown) => {
        if (canSave) log.warn('Could not save what consoles have read', { error })
        canSave = false
      },
    )
  })

  return {
    /** A new token starts after `base`; a known one keeps its position. */
    register(token: string, base: number): void {
      if (!reader(token)) unsaved.set(token, { base, upTo: base, isNew: true })
    },
    /** Removes tokens that are no longer registered. */
    async keepOnly(tokens: readonly string[]): Promise<void> {
      for (const name of names()) {
        if (tokens.includes(name)) continue
        unsaved.delete(name)
        await documents.update(keyOf(name), () => undefined)
      }
    },
    /** Null for an unregistered token. */
    reader,
    /** The console's own position counts, also when it is lower than before, for example after a restore. */
    readUpTo(token: string, upTo: number): void {
      const known = reader(token)
      if (known?.upTo !== upTo) unsaved.set(token, { base: Math.min(known?.base ?? upTo, upTo), upTo })
    },
    /** Every registered token has read up to here; Infinity without tokens. */
    readByAll: (): number => Math.min(...names().map((name) => reader(name)!.upTo)),
    /** Deliveries up to `lastSeq` that each token has not acknowledged. */
    unread: (lastSeq: number): Record<string, number> =>
      Object.fromEntries(names().map((name) => [name, Math.max(0, lastSeq - reader(name)!.upTo)])),
    /** Saved before the deliveries are deleted, so that every gap is reported. */
    recordDrop: (drop: Dropped): Promise<void> =>
      documents.update(dropsKey, (newest) =>
        JSON.stringify({ relayId: relayId(), dropped: withDrop(drops(newest), drop) }),
      ),
    /** Missing numbers as the feed reports them. */
    gap(fromSeq: number, toSeq: number): NonNullable<FeedPage['gap']> {
      const inside = drops(documents.read(dropsKey)).filter(
        (one) => one.toSeq >= fromSeq && one.fromSeq <= toSeq,
      )
      return { toSeq, fromMs: inside[0]?.fromMs ?? null, toMs: inside.at(-1)?.toMs ?? null }
    },
    async close(): Promise<void> {
      cancel()
      await save().catch((error: unknown) => log.warn('Could not save what consoles have read', { error }))
    },
  }
}
