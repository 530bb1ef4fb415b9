import type { InputOf, OutputOf } from '../../../contract/define.ts'
import type { ErrorCodeCard, errorCodesContract } from '../../../contract/views/error-codes.ts'
import type { ErrorCodeRecord } from '../../../contract/domain.ts'
import { isAppError, type AppError, isRefusal } from '../../../contract/errors.ts'
import { textIn } from '../../../contract/phrases.ts'
import { languageCodes } from '../../../contract/texts.ts'
import { reportCodeMeaning, reportCodes } from '../../../contract/words.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import { fold } from '../../../lib/fold.ts'
import { viewOf } from '../../platform/rpc/errors.ts'
import type { TaskContext } from '../../platform/tasks/tasks.service.ts'
import { noteVersions, type SharedValues } from '../../people/team/shared-values.ts'
import type { ErrorCodesRepository, StoredRecord } from './error-codes.repository.ts'
import type { ServiceParts } from '../../service/parts.ts'

/** Matches no record: a service that returns records for it may ignore the text. */
const nonsense = 'zqxjkvw-none'
const digits = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']
/** Common words of error descriptions, for codes without digits. */
const words = [
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
]
/** Shorter answers are not taken for a page limit. */
const leastCap = 10
/** Most requests per fill: one minute's rate limit. */
const mostRequests = 200
/** Those of the first searches alone. */
const firstRequests = 1 + digits.length + words.length
/** Longest number searched for where answers are cut off. */
const mostDigits = 3

/**
 * Fetches as many error codes as possible by searching: nonsense first (which returns everything if the service
 * ignores the text), then digits and common words. When different answers have the same length, they are taken
 * as cut off at a page limit, and their digits are searched in more detail. Rejected texts are skipped. Throws
 * the search's errors, and a rejection if nothing was answered.
 */
async function fillErrorCodes(
  { report, pausePoint, signal }: Pick<TaskContext<unknown>, 'report' | 'pausePoint' | 'signal'>,
  search: (text: string, signal: AbortSignal) => Promise<ErrorCodeRecord[]>,
  store: (records: readonly ErrorCodeRecord[]) => number,
  most = mostRequests,
): Promise<void> {
  const texts = [nonsense, ...digits, ...words]
  const answers = new Map<string, { length: number; content: string }>()
  let added = 0
  let refused: AppError | null = null
  let refusals = 0
  let cap = Infinity

  const total = () => Math.min(texts.length, most)
  report({ done: 0, total: total(), counts: { added: 0 } })
  for (let at = 0; at < total(); at++) {
    const text = texts[at]!
    await pausePoint()
    try {
      const records = await search(text, signal)
      added += store(records)
      const content = records
        .map(({ id, code }) => `${code} ${id}`)
        .sort()
        .join('\n')
      // Two unrelated texts gave the same records: the service ignores the text, so more searches find nothing.
      const isIgnored = records.length > 0 && answers.get(nonsense)?.content === content
      answers.set(text, { length: records.length, content })
      if (isIgnored) texts.length = at + 1
      else refine(text)
    } catch (error) {
      if (!isRefusal(error)) throw error
      refused = error
      refusals++
    }
    report({
      done: at + 1,
      total: total(),
      counts: { added, ...(refusals > 0 ? { refused: refusals } : {}) },
    })
  }
  if (refused && answers.size === 0) throw refused

  /** Searches cut-off answers in more detail, once two different answers of the greatest length reveal the limit. */
  function refine(text: string): void {
    const { length, content } = answers.get(text)!
    const longest = Math.max(...[...answers.values()].map((answer) => answer.length))
    if (cap === Infinity) {
      const alike = [...answers].some(
        ([other, answer]) => other !== text && answer.length === length && answer.content !== content,
      )
      if (length < leastCap || length < longest || !alike) return
      cap = length
      for (const [other, answer] of answers) if (answer.length === cap) closer(other)
    } else if (length >= cap) closer(text)
  }

  function closer(text: string): void {
    if (!/^\d+$/.test(text) || text.length >= mostDigits) return
    texts.push(...digits.map((digit) => text + digit))
  }
}

type Contract = typeof errorCodesContract
type Input<Name extends keyof Contract> = InputOf<Contract, Name>
type Output<Name extends keyof Contract> = OutputOf<Contract, Name>

/** Counting reads all reports with a code, so counts are cached this long. */
const countsForMs = 5_000

export type ErrorCodesService = ReturnType<typeof createErrorCodesService>

/** Error codes: all records ever received, with the operator's notes and how often each was seen. */
export function createErrorCodesService(
  parts: Pick<ServiceParts, 'client' | 'tasks' | 'clock'> & {
    repository: ErrorCodesRepository
    shared: SharedValues
  },
) {
  const { repository, shared, client, tasks, clock } = parts
  let seenCache: { atMs: number; seen: Map<string, ErrorCodeCard['seen']> } | null = null

  function seen(): Map<string, ErrorCodeCard['seen']> {
    const nowMs = clock.monotonic()
    if (seenCache && nowMs - seenCache.atMs < countsForMs) return seenCache.seen
    const found = new Map(
      repository
        .seen()
        .map(({ code, count, firstMs, lastMs }) => [
          code,
          { count, firstAt: isoTime(firstMs), lastAt: isoTime(lastMs) },
        ]),
    )
    seenCache = { atMs: nowMs, seen: found }
    return found
  }

  /** All known codes, in order. */
  function cards(): ErrorCodeCard[] {
    const byCode = Map.groupBy(repository.records(), ({ code }) => code)
    const notes = new Map(shared.list('error-note').map((note) => [note.key, note]))
    const counts = seen()
    const codes = new Set([...byCode.keys(), ...notes.keys(), ...counts.keys(), ...reportCodes])
    return [...codes].sort(byNumber).map((code) => {
      const note = notes.get(code)
      return {
        ...emptyCard(code),
        records: (byCode.get(code) ?? []).map(viewOfRecord),
        ...(note && { note: note.value ?? '', noteVersions: noteVersions(note) }),
        seen: counts.get(code) ?? { count: 0, firstAt: null, lastAt: null },
      }
    })
  }

  const get = (code: string) => cards().find((card) => card.code === code) ?? emptyCard(code)
  const store = (records: readonly ErrorCodeRecord[]) => repository.store(records, clock.now())

  const searchAll = async (text: string, signal: AbortSignal) =>
    (await client.errorCodes.search({ text }, { lane: 'bulk', signal })).items

  tasks.define('error-code-fill', {
    unit: 'requests',
    canPause: true,
    resumable: true,
    run: (context) => fillErrorCodes(context, searchAll, store),
  })

  return {
    search({ text, onlySeen, category, limit, cursor }: Input<'search'>): Output<'search'> {
      const words = wordsOf(text)
      const all = cards()
      const categories = new Set(
        all.flatMap(({ records }) => records.flatMap((record) => record.category || [])),
      )
      const found = all
        .filter((card) => !onlySeen || card.seen.count > 0)
        .filter(({ records }) => category === '' || records.some((record) => record.category === category))
        .map((card) => ({ card, score: rank(card, words) }))
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score || b.card.seen.count - a.card.seen.count)
        .map(({ card }) => card)
      const from = cursor === undefined ? 0 : Math.max(0, Number(cursor) || 0)
      const items = found.slice(from, from + limit)
      const ages = items.flatMap(({ records }) => records.map(({ asOf }) => asOf)).sort()
      return {
        items,
        nextCursor: from + limit < found.length ? String(from + limit) : null,
        total: found.length,
        categories: [...categories].sort(),
        oldestAsOf: ages[0] ?? null,
        lastAnswerAt: isoTime(repository.answeredMs()),
      }
    },
    async searchOnline({ text }: Input<'searchOnline'>): Promise<Output<'searchOnline'>> {
      const asOf = isoTime(clock.now())
      try {
        const { items: records, unreadable } = await client.errorCodes.search({ text }, { lane: 'operator' })
        const added = store(records)
        const codes = [...new Set(records.map(({ code }) => code))]
        const known = new Map(cards().map((card) => [card.code, card]))
        return {
          items: codes.map((code) => known.get(code) ?? emptyCard(code)),
          added,
          unreadable,
          ignoredText: isIgnored(text, records),
          problem: null,
          asOf,
        }
      } catch (error) {
        if (!isAppError(error)) throw error
        return { items: [], added: 0, unreadable: 0, ignoredText: false, problem: viewOf(error), asOf }
      }
    },
    get: ({ code }: Input<'get'>) => get(code),
    setNote({ code, note }: Input<'setNote'>): ErrorCodeCard {
      shared.put('error-note', code, note.trim() === '' ? null : note)
      return get(code)
    },
    /** Whether the service never answered a search. */
    isEmpty: (): boolean => repository.answeredMs() === null,
    /** The first searches of a fill, without a task. */
    fillFirst: (signal: AbortSignal): Promise<void> =>
      fillErrorCodes(
        { report() {}, pausePoint: () => Promise.resolve(), signal },
        searchAll,
        store,
        firstRequests,
      ),
    fill(): { taskId: string } {
      return { taskId: tasks.startOnly('error-code-fill', { key: 'subject.errorCodes' }) }
    },
  }
}

const wordsOf = (text: string) =>
  fold(text)
    .split(/\s+/)
    .filter((word) => word !== '')

const viewOfRecord = ({ id, description, category, resolution, createdMs, asOfMs }: StoredRecord) => ({
  id,
  description,
  category,
  resolution,
  createdAt: isoTime(createdMs),
  asOf: isoTime(asOfMs),
})

const emptyCard = (code: string): ErrorCodeCard => ({
  code,
  records: [],
  dlrMeaning: reportCodeMeaning(code),
  note: '',
  noteVersions: [],
  seen: { count: 0, firstAt: null, lastAt: null },
})

/** How well a card matches: exact code, code prefix, then words anywhere. 0: no match. */
function rank(card: ErrorCodeCard, words: readonly string[]): number {
  if (words.length === 0) return 1
  const { dlrMeaning } = card
  const code = fold(card.code)
  const text = fold(
    [
      ...card.records.flatMap(({ description, category, resolution }) => [description, category, resolution]),
      // The page may be in any language.
      ...(dlrMeaning === null ? [] : languageCodes.map((language) => textIn(language, dlrMeaning))),
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

/** Whether most records contain none of the words, so the search probably ignored the text. */
function isIgnored(text: string, records: readonly ErrorCodeRecord[]): boolean {
  const words = wordsOf(text)
  const unrelated = records.filter(({ code, description, category, resolution }) => {
    const held = fold([code, description, category, resolution].join('\n'))
    return !words.some((word) => held.includes(word))
  })
  return records.length > 1 && unrelated.length * 2 > records.length
}

/** Numbers first, in numeric order. */
function byNumber(a: string, b: string): number {
  const left = /^\d+$/.test(a) ? Number(a) : Infinity
  const right = /^\d+$/.test(b) ? Number(b) : Infinity
  return left === right ? (a < b ? -1 : 1) : left - right
}
