import type { ErrorCodeRecord } from '../../../contract/domain.ts'
import { type AppError, isAppError } from '../../../contract/errors.ts'
import type { TaskContext } from '../../platform/tasks/tasks.service.ts'

/** Nonsense that no record holds: a service that answers it with records may ignore the text. */
const nonsense = 'zqxjkvw-none'
const digits = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']
/** Words that lists of error codes are made of, for codes without digits. */
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
/** Answers shorter than this are not taken for cut off at a page's size. */
const leastCap = 10
/** A fill asks at most so often: the budget of one minute. */
const mostRequests = 200
/** Longest text of digits that is asked for where answers are cut off. */
const mostDigits = 3

/**
 * Asks for all the service has: nonsense first (all it has, where it ignores the text), then every digit and
 * common words. Where several answers have the same length they are taken as cut off there, and their digits are
 * asked for more closely. A text that the service refuses is passed over. Throws what a search rejects with, the
 * refusal too when nothing was answered.
 */
export async function fillErrorCodes(
  { report, pausePoint, signal }: Pick<TaskContext<unknown>, 'report' | 'pausePoint' | 'signal'>,
  search: (text: string, signal: AbortSignal) => Promise<ErrorCodeRecord[]>,
  keep: (records: readonly ErrorCodeRecord[]) => number,
): Promise<void> {
  const texts = [nonsense, ...digits, ...words]
  const answers = new Map<string, { length: number; content: string }>()
  let added = 0
  let refused: AppError | null = null
  let refusals = 0
  let cap = Infinity

  const total = () => Math.min(texts.length, mostRequests)
  report({ done: 0, total: total(), counts: { added: 0 } })
  for (let at = 0; at < total(); at++) {
    const text = texts[at]!
    await pausePoint()
    try {
      const records = await search(text, signal)
      added += keep(records)
      const content = records
        .map(({ id, code }) => `${code} ${id}`)
        .sort()
        .join('\n')
      // The same for two texts that have nothing in common: there is nothing more to ask for.
      const isIgnored = records.length > 0 && answers.get(nonsense)?.content === content
      answers.set(text, { length: records.length, content })
      if (isIgnored) texts.length = at + 1
      else refine(text)
    } catch (error) {
      if (!isAppError(error, 'SERVICE_REJECTED', 'SERVICE_NOT_FOUND')) throw error
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

  /** Asks more closely for what was cut off, once two different answers of the greatest length show where. */
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
