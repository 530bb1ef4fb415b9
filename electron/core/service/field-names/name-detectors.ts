import type { FieldNames, DetectableName } from '../../../contract/field-names.ts'
import type { ErrorCodeRecord } from '../../../contract/domain.ts'
import { AppError, isAppError, isOfItem, isRefusal } from '../../../contract/errors.ts'
import type { Detection } from '../../../contract/platform/settings.ts'
import type { Phrase } from '../../../contract/phrases.ts'
import { fold } from '../../../lib/fold.ts'
import { utcDay } from '../../../lib/iso-time.ts'
import { fieldNameCandidates } from './default-field-names.ts'
import type { ServiceParts } from '../parts.ts'

/** Result of detecting one name. `proven`: the value to use. */
export type DetectorOutcome = Pick<Detection, 'outcome' | 'value' | 'evidence'> & {
  proven?: FieldNames[DetectableName]['value']
  /** The error when nothing could be decided. */
  problem?: AppError
}

export interface DetectorParts extends Pick<ServiceParts, 'client' | 'fieldNames'> {
  /** Uses a name only for the calls that `work` starts synchronously. */
  withNames: <T>(change: Partial<FieldNames>, work: () => Promise<T>) => Promise<T>
  signal: AbortSignal
  /** Called before each request. */
  asking: () => void
  nowMs: () => number
}

/** A text in no error code record. */
const nonsense = 'zqxjkvw-none'
/** Texts in most error code lists. */
const likelyTexts = ['1', 'e', 'message']
/** In no numbering plan, so on no list. */
const unlistedNumber = '+10000000000'
/** A listed number may no longer be blocked, so several are tried. */
const triedNumbers = 3
const dayMs = 86_400_000
/** A day without traffic, and one in the future. */
const longAgo = { startDate: '2001-01-01', endDate: '2001-01-02' }
const yearsAheadMs = 3 * 365 * dayMs

const proven = <T>(value: T) => ({ value, provenance: 'proven' as const })

/** The current name, then the candidates. */
const ordered = <T>(inUse: T, candidates: readonly T[]): T[] => [
  inUse,
  ...candidates.filter((one) => JSON.stringify(one) !== JSON.stringify(inUse)),
]

/** Names that didn't work. */
interface Misses {
  refused: number
  broken: AppError | null
}

/**
 * A rejection or unreadable response means "not this name"; other errors end the detection. `countsRefusal` is false when
 * the value, not the name, may be rejected.
 */
async function answerOr<T>(misses: Misses, ask: () => Promise<T>, countsRefusal = true): Promise<T | null> {
  try {
    return await ask()
  } catch (error) {
    if (isRefusal(error)) misses.refused += countsRefusal ? 1 : 0
    else if (isOfItem(error) || isAppError(error, 'NOT_THE_SERVICE')) misses.broken = error
    else throw error
    return null
  }
}

/** Nothing was verified: `otherwise`, unless the service never gave a usable response. */
function unproven(
  value: string,
  { refused, broken }: Misses,
  tried: number,
  otherwise: Pick<DetectorOutcome, 'outcome' | 'evidence'>,
): DetectorOutcome {
  if (broken) return { outcome: 'failed', value, evidence: { key: 'probe.noUsable' }, problem: broken }
  if (refused === tried) return { outcome: 'refuted', value, evidence: { key: 'probe.allRejected' } }
  return { value, ...otherwise }
}

/** With the right name a listed number is blocked and another isn't. An ignored name gives both the same result. */
export async function detectDncCheck(parts: DetectorParts): Promise<DetectorOutcome> {
  const { client, fieldNames, withNames, signal, asking } = parts
  const inUse = fieldNames().dncCheckParameter.value
  const options = { lane: 'bulk', signal } as const
  asking()
  const { items } = await client.dnc.list({ page: 1, perPage: 20 }, options)
  const numbers = items.flatMap(({ phoneNumber }) => phoneNumber || [])
  const listed = [...new Set(numbers)].slice(0, triedNumbers)
  if (listed.length === 0)
    return { outcome: 'not-provable', value: inUse, evidence: { key: 'probe.dncEmpty' } }
  const isBlocked = (value: string, phone: string) => {
    asking()
    return withNames({ dncCheckParameter: proven(value) }, async () => {
      const { verdict } = await client.dnc.check({ phone }, options)
      return verdict === 'blocked'
    })
  }
  const misses: Misses = { refused: 0, broken: null }
  const values = ordered<string>(inUse, fieldNameCandidates.dncCheckParameter)
  let blocksAll = false
  for (const value of values)
    for (const number of listed) {
      const blocked = await answerOr(misses, () => isBlocked(value, number), number === listed[0])
      if (blocked === null) break
      if (!blocked) continue
      const control: Misses = { refused: 0, broken: null }
      const other = await answerOr(control, () => isBlocked(value, unlistedNumber))
      if (control.broken) {
        misses.broken = control.broken
        break
      }
      // Rejecting the number also proves that the name was read.
      if (other !== true)
        return {
          outcome: 'proven',
          value,
          proven: value,
          evidence: { key: 'probe.dncProven', name: value },
        }
      blocksAll = true
      break
    }
  return unproven(inUse, misses, values.length, {
    outcome: 'refuted',
    evidence: { key: blocksAll ? 'probe.blocksAll' : 'probe.blocksNone' },
  })
}

const holds = (text: string) => (record: ErrorCodeRecord) =>
  fold([record.code, record.description, record.category, record.resolution].join('\n')).includes(fold(text))

/** Nonsense finds nothing, while a code and a word of its description find records containing them. */
export async function detectErrorCodeSearch(parts: DetectorParts): Promise<DetectorOutcome> {
  const { client, fieldNames, withNames, signal, asking } = parts
  const inUse = fieldNames().errorCodeSearchParameter.value
  const search = (value: string, text: string) => {
    asking()
    return withNames(
      { errorCodeSearchParameter: proven(value) },
      async () => (await client.errorCodes.search({ text }, { lane: 'bulk', signal })).items,
    )
  }
  const misses: Misses = { refused: 0, broken: null }
  const values = ordered<string>(inUse, fieldNameCandidates.errorCodeSearchParameter)
  let foundNonsense = false
  let codesOnly: string | null = null
  for (const value of values) {
    const nothing = await answerOr(misses, () => search(value, nonsense))
    if (nothing === null) continue
    if (nothing.length > 0) {
      foundNonsense = true
      continue
    }
    for (const text of likelyTexts) {
      // Too short a text says nothing about the name.
      const found = (await answerOr(misses, () => search(value, text), false)) ?? []
      if (!found.some(holds(text))) continue
      const word = wordOf(found, text)
      const byWord = word === null ? null : await answerOr(misses, () => search(value, word), false)
      if (word !== null && !byWord?.some(holds(word))) {
        codesOnly ??= value
        break
      }
      return {
        outcome: 'proven',
        value,
        proven: value,
        evidence: { key: 'probe.searchProven', name: value, word: word ?? text },
      }
    }
  }
  return unproven(inUse, misses, values.length, {
    ...(codesOnly !== null
      ? { outcome: 'not-provable', evidence: { key: 'probe.codesOnly', name: codesOnly } }
      : foundNonsense
        ? { outcome: 'refuted', evidence: { key: 'probe.foundNonsense' } }
        : { outcome: 'not-provable', evidence: { key: 'probe.foundNothing' } }),
  })
}

/** A word of a description other than the searched one. */
function wordOf(records: readonly ErrorCodeRecord[], searched: string): string | null {
  for (const { description } of records)
    for (const word of (description ?? '').match(/\p{L}{4,}/gu) ?? [])
      if (fold(word) !== fold(searched)) return word
  return null
}

/** The last 30 days have messages, which proves the end; a day in 2001 and a future day have none: the start. */
export async function detectAnalyticsDates(parts: DetectorParts): Promise<DetectorOutcome> {
  const { client, fieldNames, withNames, signal, asking } = parts
  const inUse = fieldNames().analyticsDates.value
  const nowMs = parts.nowMs()
  const lastMonth = { startDate: utcDay(nowMs - 30 * dayMs), endDate: utcDay(nowMs) }
  const ahead = utcDay(nowMs + yearsAheadMs)
  const messages = (value: typeof inUse, span: typeof lastMonth) => {
    asking()
    return withNames({ analyticsDates: proven(value) }, async () => {
      const { totalMessages, delivered, failed } = await client.analytics.overview(span, {
        lane: 'bulk',
        signal,
      })
      // Without a readable count the response proves nothing.
      if ((totalMessages ?? delivered ?? failed) === null)
        throw new AppError(
          'BAD_ANSWER',
          { host: client.host, call: 'GET /analytics/overview', detail: { key: 'answer.noCount' } },
          { acted: 'maybe' },
        )
      return totalMessages ?? (delivered ?? 0) + (failed ?? 0)
    })
  }
  const misses: Misses = { refused: 0, broken: null }
  const values = ordered<typeof inUse>(inUse, fieldNameCandidates.analyticsDates)
  let isQuiet = false
  let halfRead: Phrase | null = null
  for (const value of values) {
    const recent = await answerOr(misses, () => messages(value, lastMonth))
    if (recent === null) continue
    if (recent === 0) {
      isQuiet = true
      continue
    }
    const past = await answerOr(misses, () => messages(value, longAgo), false)
    if (past !== null && past > 0) continue
    const future =
      past === null
        ? null
        : await answerOr(misses, () => messages(value, { startDate: ahead, endDate: ahead }), false)
    if (past === null || future !== 0) {
      const key =
        past === null ? 'probe.pastFailed' : future === null ? 'probe.futureFailed' : 'probe.futureHad'
      halfRead ??= { key, name: textOfDates(value) }
      continue
    }
    return {
      outcome: 'proven',
      value: textOfDates(value),
      proven: value,
      evidence: { key: 'probe.datesProven', name: textOfDates(value), n: recent },
    }
  }
  return unproven(
    textOfDates(inUse),
    misses,
    values.length,
    halfRead !== null
      ? { outcome: 'not-provable', evidence: halfRead }
      : isQuiet
        ? { outcome: 'not-provable', evidence: { key: 'probe.quiet' } }
        : { outcome: 'refuted', evidence: { key: 'probe.pastHad' } },
  )
}

const textOfDates = ({ startParameter, endParameter, format }: FieldNames['analyticsDates']['value']) =>
  `${startParameter}, ${endParameter} (${format})`

/** A field name as text. */
export const textOfName = (value: FieldNames[DetectableName]['value']) =>
  typeof value === 'string' ? value : textOfDates(value)
