import type * as z from 'zod'
import type { ErrorCodeCard, errorCodesContract } from '../../contract/error-codes.ts'
import type { ErrorCodeRecord } from '../../contract/domain.ts'
import { isAppError } from '../../contract/errors.ts'
import type { Database } from '../../database/open.ts'
import type { Clock } from '../../lib/clock.ts'
import { fold } from '../../lib/fold.ts'
import { errorMeaning } from '../events/message-status.ts'
import { viewOf } from '../rpc/wire-errors.ts'
import type { ServiceClient } from '../service-client/create-service-client.ts'
import type { TasksService } from '../tasks/tasks.service.ts'

type Output<Name extends keyof typeof errorCodesContract> = z.infer<
  NonNullable<(typeof errorCodesContract)[Name]['~orpc']['outputSchema']>
>

/** The codes of delivery reports that the spec explains (Events, dlr payload). */
const dlrCodes = ['1', '2', '3', '4']

/** What a fill searches for: every digit, and words that such lists are made of. */
const fillWords = [
  ...['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'],
  ...[
    'message',
    'invalid',
    'number',
    'network',
    'rejected',
    'destination',
    'carrier',
    'blocked',
    'error',
    'account',
  ],
]
/** Nonsense that no record holds: a service that answers it with records ignores the text. */
const nonsense = 'zqxjkvw-none'
const countsForMs = 5_000

interface StoredRecord {
  id: string
  code: string
  description: string | null
  category: string | null
  resolution: string | null
  createdAt: string | null
  asOfMs: number
}

export interface ErrorCodesService {
  search(query: {
    text: string
    onlySeen: boolean
    limit: number
    cursor?: string | undefined
  }): Output<'search'>
  searchOnline(text: string): Promise<Output<'searchOnline'>>
  get(code: string): ErrorCodeCard
  setNote(code: string, note: string): ErrorCodeCard
  fill(): { taskId: string }
}

/** Error codes: what the service ever said of them, kept for offline, with the operator's notes and how often each was seen. */
export function createErrorCodesService(parts: {
  cacheDb: Database
  stateDb: Database
  client: ServiceClient
  tasks: TasksService
  clock: Clock
}): ErrorCodesService {
  const { cacheDb, stateDb, client, tasks, clock } = parts
  const allRecords = cacheDb.prepare<[], StoredRecord>(
    'SELECT id, code, description, category, resolution, created_at AS createdAt, as_of_ms AS asOfMs FROM error_codes ORDER BY code, id',
  )
  const keep = cacheDb.prepare(`
    INSERT INTO error_codes (id, code, description, category, resolution, created_at, as_of_ms)
    VALUES (@id, @code, @description, @category, @resolution, @createdAt, @asOfMs)
    ON CONFLICT (id) DO UPDATE SET code = excluded.code, description = excluded.description, category = excluded.category,
      resolution = excluded.resolution, created_at = excluded.created_at, as_of_ms = excluded.as_of_ms`)
  const isKept = cacheDb.prepare<[string], number>('SELECT 1 FROM error_codes WHERE id = ?').pluck()
  const notes = stateDb.prepare<[], { code: string; note: string }>('SELECT code, note FROM error_code_notes')
  const putNote = stateDb.prepare<[string, string, number]>(
    'INSERT INTO error_code_notes (code, note, updated_ms) VALUES (?, ?, ?) ON CONFLICT (code) DO UPDATE SET note = excluded.note, updated_ms = excluded.updated_ms',
  )
  const dropNote = stateDb.prepare<[string]>('DELETE FROM error_code_notes WHERE code = ?')
  const seenCodes = stateDb.prepare<[], { code: number; count: number; firstSeq: number; lastSeq: number }>(
    'SELECT error_code AS code, count(*) AS count, min(seq) AS firstSeq, max(seq) AS lastSeq FROM events WHERE error_code IS NOT NULL GROUP BY error_code',
  )
  const receivedMs = stateDb.prepare<[number], number>('SELECT received_ms FROM events WHERE seq = ?').pluck()
  let seenCache: { atMs: number; seen: Map<string, ErrorCodeCard['seen']> } | null = null

  /** How often each code was seen. Counting goes over the failed reports, so it is kept for a few seconds. */
  function seen(): Map<string, ErrorCodeCard['seen']> {
    const nowMs = clock.monotonic()
    if (seenCache && nowMs - seenCache.atMs < countsForMs) return seenCache.seen
    const iso = (seq: number) => {
      const ms = receivedMs.get(seq)
      return ms === undefined ? null : new Date(ms).toISOString()
    }
    const found = new Map(
      seenCodes
        .all()
        .map(({ code, count, firstSeq, lastSeq }) => [
          String(code),
          { count, firstAt: iso(firstSeq), lastAt: iso(lastSeq) },
        ]),
    )
    seenCache = { atMs: nowMs, seen: found }
    return found
  }

  function cards(): ErrorCodeCard[] {
    const byCode = new Map<string, StoredRecord[]>()
    for (const record of allRecords.all())
      byCode.set(record.code, [...(byCode.get(record.code) ?? []), record])
    const noted = new Map(notes.all().map(({ code, note }) => [code, note]))
    const counts = seen()
    const codes = new Set([...byCode.keys(), ...noted.keys(), ...counts.keys(), ...dlrCodes])
    return [...codes].sort(byNumber).map((code) => ({
      code,
      records: (byCode.get(code) ?? []).map(
        ({ id, description, category, resolution, createdAt, asOfMs }) => ({
          id,
          description,
          category,
          resolution,
          createdAt,
          asOf: new Date(asOfMs).toISOString(),
        }),
      ),
      dlrMeaning: errorMeaning(Number(code)),
      note: noted.get(code) ?? '',
      seen: counts.get(code) ?? { count: 0, firstAt: null, lastAt: null },
    }))
  }

  const emptyCard = (code: string): ErrorCodeCard => ({
    code,
    records: [],
    dlrMeaning: errorMeaning(Number(code)),
    note: '',
    seen: { count: 0, firstAt: null, lastAt: null },
  })
  const get = (code: string) => cards().find((card) => card.code === code) ?? emptyCard(code)

  /** How well a card fits the words: a code that is it, that begins with it, then words anywhere. 0: not at all. */
  function rank(card: ErrorCodeCard, words: readonly string[]): number {
    if (words.length === 0) return 1
    const code = fold(card.code)
    const text = fold(
      [
        ...card.records.flatMap(({ description, category, resolution }) => [
          description,
          category,
          resolution,
        ]),
        card.dlrMeaning,
        card.note,
      ].join('\n'),
    )
    let sum = 0
    for (const word of words) {
      const score =
        code === word ? 8 : code.startsWith(word) ? 4 : text.includes(word) ? 2 : code.includes(word) ? 1 : 0
      if (score === 0) return 0
      sum += score
    }
    return sum
  }

  const store = cacheDb.transaction((records: readonly ErrorCodeRecord[]) => {
    let added = 0
    for (const { id, code, description, category, resolution, createdAt } of records) {
      if (!isKept.get(id)) added++
      keep.run({ id, code, description, category, resolution, createdAt, asOfMs: clock.now() })
    }
    return added
  })

  tasks.define('error-code-fill', {
    unit: 'requests',
    canPause: true,
    resumable: true,
    async run({ report, pausePoint, signal }) {
      const words = [nonsense, ...fillWords]
      report({ done: 0, total: words.length, counts: { added: 0 } })
      let added = 0
      for (const [at, text] of words.entries()) {
        await pausePoint()
        const records = await client.errorCodes.search({ text }, { lane: 'bulk', signal })
        added += store(records)
        report({ done: at + 1, counts: { added } })
        // It answers everything to anything: there is nothing more to ask for.
        if (text === nonsense && records.length > 0) {
          report({ done: words.length })
          return
        }
      }
    },
  })

  return {
    search({ text, onlySeen, limit, cursor }) {
      const words = fold(text)
        .split(/\s+/)
        .filter((word) => word !== '')
      const found = cards()
        .filter((card) => !onlySeen || card.seen.count > 0)
        .map((card) => ({ card, score: rank(card, words) }))
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score)
        .map(({ card }) => card)
      const from = cursor === undefined ? 0 : Math.max(0, Number(cursor) || 0)
      const items = found.slice(from, from + limit)
      const ages = items.flatMap(({ records }) => records.map(({ asOf }) => asOf)).sort()
      const newest = cacheDb.prepare('SELECT max(as_of_ms) FROM error_codes').pluck().get() as number | null
      return {
        items,
        nextCursor: from + limit < found.length ? String(from + limit) : null,
        total: found.length,
        oldestAsOf: ages[0] ?? null,
        lastAnswerAt: newest === null ? null : new Date(newest).toISOString(),
      }
    },
    async searchOnline(text) {
      const asOf = new Date(clock.now()).toISOString()
      try {
        const records = await client.errorCodes.search({ text }, { lane: 'operator' })
        const added = store(records)
        const wanted = fold(text)
        const fits = ({ code, description }: ErrorCodeRecord) =>
          fold(code).includes(wanted) || fold(description ?? '').includes(wanted)
        const codes = [...new Set(records.map(({ code }) => code))]
        const known = new Map(cards().map((card) => [card.code, card]))
        return {
          items: codes.map((code) => known.get(code) ?? emptyCard(code)),
          added,
          ignoredText: records.length > 1 && !records.some(fits),
          problem: null,
          asOf,
        }
      } catch (error) {
        if (!isAppError(error)) throw error
        return { items: [], added: 0, ignoredText: false, problem: viewOf(error), asOf }
      }
    },
    get,
    setNote(code, note) {
      if (note.trim() === '') dropNote.run(code)
      else putNote.run(code, note, clock.now())
      return get(code)
    },
    fill: () => ({ taskId: tasks.start('error-code-fill', { subject: 'Error codes', payload: {} }).id }),
  }
}

/** Numbers in their order, other codes after them in theirs. */
function byNumber(a: string, b: string): number {
  const left = /^\d+$/.test(a) ? Number(a) : Infinity
  const right = /^\d+$/.test(b) ? Number(b) : Infinity
  return left === right ? (a < b ? -1 : 1) : left - right
}
