import type { ErrorCodeRecord } from '../../../contract/domain.ts'
import { type AppError, isRefusal } from '../../../contract/errors.ts'
import type { TaskContext } from '../../platform/tasks/tasks.service.ts'

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
export const firstRequests = 1 + digits.length + words.length
/** Longest number searched for where answers are cut off. */
const mostDigits = 3

/**
 * Fetches as many error codes as possible by searching: nonsense first (which returns everything if the service
 * ignores the text), then digits and common words. When different answers have the same length, they are taken
 * as cut off at a page limit, and their digits are searched in more detail. Rejected texts are skipped. Throws
 * the search's errors, and a rejection if nothing was answered.
 */
export async function fillErrorCodes(
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
