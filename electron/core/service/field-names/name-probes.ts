import { counted } from '../../../lib/counted.ts'
import type { Dialect, ProbedName } from '../../../contract/dialect.ts'
import type { ErrorCodeRecord } from '../../../contract/domain.ts'
import { AppError, isAppError } from '../../../contract/errors.ts'
import type { ProbeFinding } from '../../../contract/settings.ts'
import { fold } from '../../../lib/fold.ts'
import type { ServiceClient } from '../client/create-service-client.ts'
import { dialectCandidates } from './dialect.ts'

/** What one name's probe came to, before it is kept. `proven` is the value to use from now on. */
export type ProbeOutcome = Pick<ProbeFinding, 'outcome' | 'value' | 'evidence'> & {
  proven?: Dialect[ProbedName]['value']
  /** What the service answered in place of a judgement, when that left the question open. */
  problem?: AppError
}

/** What a probe asks with. */
export interface ProbeParts {
  client: ServiceClient
  dialect: () => Dialect
  /** Uses a name for the calls that `work` begins, and for no other. */
  withDialect: <T>(change: Partial<Dialect>, work: () => Promise<T>) => Promise<T>
  signal: AbortSignal
  /** Called before each request. */
  asking: () => void
  nowMs: () => number
}

/** A text no error code record can hold. */
const nonsense = 'zqxjkvw-none'
/** Texts of which most lists of error codes hold one. */
const likelyTexts = ['1', 'e', 'message']
/** A number of no numbering plan: on no list. */
const unlistedNumber = '+10000000000'
/** A listed number may be one that is not blocked any more: so many are tried. */
const triedNumbers = 3
const dayMs = 86_400_000
/** A day on which no service of this kind had traffic, and one that has not come. */
const longAgo = { startDate: '2001-01-01', endDate: '2001-01-02' }
const yearsAheadMs = 3 * 365 * dayMs

const proven = <T>(value: T) => ({ value, provenance: 'proven' as const })

/** The name in use first, then the usual ones. */
const ordered = <T>(inUse: T, candidates: readonly T[]): T[] => [
  inUse,
  ...candidates.filter((one) => JSON.stringify(one) !== JSON.stringify(inUse)),
]

/** What the names came to that did not prove to be the one. */
interface Misses {
  refused: number
  broken: AppError | null
}

/**
 * Asks, and takes a refusal or an answer that cannot be read for what it is here: not this name. Anything else ends the probe.
 * `countsRefusal` is false where a refusal would be of what is asked for, not of the name.
 */
async function answerOr<T>(misses: Misses, ask: () => Promise<T>, countsRefusal = true): Promise<T | null> {
  try {
    return await ask()
  } catch (error) {
    if (isAppError(error, 'SERVICE_REJECTED', 'SERVICE_NOT_FOUND')) misses.refused += countsRefusal ? 1 : 0
    else if (isAppError(error, 'SERVICE_FAILED', 'BAD_ANSWER', 'ANSWER_TOO_LARGE', 'NOT_THE_SERVICE'))
      misses.broken = error
    else throw error
    return null
  }
}

/** The end of a probe that proved nothing: `otherwise`, unless the service never came to judge. */
function unproven(
  value: string,
  { refused, broken }: Misses,
  tried: number,
  otherwise: Pick<ProbeOutcome, 'outcome' | 'evidence'>,
): ProbeOutcome {
  if (broken)
    return { outcome: 'failed', value, evidence: 'Some names got no answer to judge by.', problem: broken }
  if (refused === tried)
    return { outcome: 'refuted', value, evidence: 'The service refused every name that was tried.' }
  return { value, ...otherwise }
}

/** A listed number is blocked and another is not, asked under the same name: an ignored name would answer both alike. */
export async function probeDncCheck(parts: ProbeParts): Promise<ProbeOutcome> {
  const { client, dialect, withDialect, signal, asking } = parts
  const inUse = dialect().dncCheckParameter.value
  const options = { lane: 'bulk', signal } as const
  asking()
  const { items } = await client.dnc.list({ page: 1, perPage: 20 }, options)
  const listed = [...new Set(items.map(({ phoneNumber }) => phoneNumber))].slice(0, triedNumbers)
  if (listed.length === 0)
    return {
      outcome: 'not-provable',
      value: inUse,
      evidence: 'The DNC list is empty: there is no number whose answer would prove a name.',
    }
  const isBlocked = (value: string, phone: string) => {
    asking()
    return withDialect({ dncCheckParameter: proven(value) }, async () => {
      const { verdict } = await client.dnc.check({ phone }, options)
      return verdict === 'blocked'
    })
  }
  const misses: Misses = { refused: 0, broken: null }
  const values = ordered<string>(inUse, dialectCandidates.dncCheckParameter)
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
      // Refused as no number, it was at least read.
      if (other !== true)
        return {
          outcome: 'proven',
          value,
          proven: value,
          evidence: `Asked with ${value}, a number of the list was blocked and another was not.`,
        }
      blocksAll = true
      break
    }
  return unproven(inUse, misses, values.length, {
    outcome: 'refuted',
    evidence: blocksAll
      ? 'Any number was called blocked: the service ignores the names that were tried.'
      : 'Numbers of the list were called not blocked under every name that was tried.',
  })
}

const holds = (text: string) => (record: ErrorCodeRecord) =>
  fold([record.code, record.description, record.category, record.resolution].join('\n')).includes(fold(text))

/** Nonsense finds nothing, while a code and a word of its description both find what holds them. */
export async function probeErrorCodeSearch(parts: ProbeParts): Promise<ProbeOutcome> {
  const { client, dialect, withDialect, signal, asking } = parts
  const inUse = dialect().errorCodeSearchParameter.value
  const search = (value: string, text: string) => {
    asking()
    return withDialect({ errorCodeSearchParameter: proven(value) }, () =>
      client.errorCodes.search({ text }, { lane: 'bulk', signal }),
    )
  }
  const misses: Misses = { refused: 0, broken: null }
  const values = ordered<string>(inUse, dialectCandidates.errorCodeSearchParameter)
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
      // A text that is too short for the service says nothing of the name.
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
        evidence: `Asked with ${value}, nonsense found nothing and "${word ?? text}" found records that hold it.`,
      }
    }
  }
  return unproven(inUse, misses, values.length, {
    ...(codesOnly !== null
      ? {
          outcome: 'not-provable',
          evidence: `Asked with ${codesOnly}, codes were found, but not the words of their descriptions: it is not the name of the search text.`,
        }
      : foundNonsense
        ? {
            outcome: 'refuted',
            evidence: 'Nonsense found records: the service ignores the names that were tried, or their text.',
          }
        : {
            outcome: 'not-provable',
            evidence: 'No name found any record: there is nothing to compare with.',
          }),
  })
}

/** A word of a description that is not what was searched for; null where there is none. */
function wordOf(records: readonly ErrorCodeRecord[], searched: string): string | null {
  for (const { description } of records)
    for (const word of (description ?? '').match(/\p{L}{4,}/gu) ?? [])
      if (fold(word) !== fold(searched)) return word
  return null
}

/**
 * The last 30 days have messages, while a day of 2001 and a day to come have none. The first of the two shows that the end of
 * the span is read, the second that its start is.
 */
export async function probeAnalyticsDates(parts: ProbeParts): Promise<ProbeOutcome> {
  const { client, dialect, withDialect, signal, asking } = parts
  const inUse = dialect().analyticsDates.value
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  const nowMs = parts.nowMs()
  const lastMonth = { startDate: day(nowMs - 30 * dayMs), endDate: day(nowMs) }
  const ahead = day(nowMs + yearsAheadMs)
  const messages = (value: typeof inUse, span: typeof lastMonth) => {
    asking()
    return withDialect({ analyticsDates: proven(value) }, async () => {
      const { totalMessages, delivered, failed } = await client.analytics.overview(span, {
        lane: 'bulk',
        signal,
      })
      // An answer without one figure that can be read says nothing of how many there were.
      if ((totalMessages ?? delivered ?? failed) === null)
        throw new AppError('BAD_ANSWER', {
          host: client.host,
          call: 'GET /analytics/overview',
          detail: 'it holds no figure of messages',
        })
      return totalMessages ?? (delivered ?? 0) + (failed ?? 0)
    })
  }
  const misses: Misses = { refused: 0, broken: null }
  const values = ordered<typeof inUse>(inUse, dialectCandidates.analyticsDates)
  let isQuiet = false
  let halfRead: string | null = null
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
      const what =
        past === null
          ? 'a day of 2001 was not answered'
          : future === null
            ? 'a day of 2001 had no messages, a day to come was not answered'
            : 'a day of 2001 had no messages, but a day to come had some'
      halfRead ??= `Asked with ${name(value)}, ${what}: whether both ends of a span are read is not shown.`
      continue
    }
    return {
      outcome: 'proven',
      value: name(value),
      proven: value,
      evidence: `Asked with ${name(value)}, the last 30 days had ${counted(recent, 'message')}, a day of 2001 and a day to come had none.`,
    }
  }
  return unproven(
    name(inUse),
    misses,
    values.length,
    halfRead !== null
      ? { outcome: 'not-provable', evidence: halfRead }
      : isQuiet
        ? {
            outcome: 'not-provable',
            evidence: 'The last 30 days had no messages: there is nothing to compare with.',
          }
        : {
            outcome: 'refuted',
            evidence:
              'A day of 2001 was not without messages under any name that was tried: the service ignores them.',
          },
  )
}

/** Start, end and format as one text. */
const name = ({ startParameter, endParameter, format }: Dialect['analyticsDates']['value']) =>
  `${startParameter}, ${endParameter} (${format})`

/** A probed name's value as one text. */
export const textOfName = (value: Dialect[ProbedName]['value']) =>
  typeof value === 'string' ? value : name(value)
