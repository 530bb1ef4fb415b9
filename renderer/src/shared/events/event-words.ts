import type { EventRow } from '#contract/events.ts'
import { formatCount } from '../format/numbers.ts'
import { type StatusLook, statusLook } from '../format/status.ts'
import { formatDuration } from '../format/time.ts'

/** The spec's four error codes of delivery reports (section "dlr payload"). */
const errorMeanings: Record<number, string> = {
  1: 'Invalid destination',
  2: 'Destination unreachable',
  3: 'Insufficient balance',
  4: 'Message rejected',
}

/** How a row's state is drawn: a report by its status, the others by their kind. */
export function eventLook(row: EventRow): StatusLook {
  if (row.kind !== 'dlr' || row.status === null) return statusLook('event', row.kind)
  return statusLook('message', row.status)
}

/** An error code with its meaning, where the spec gives one. */
export function errorSays(code: number): string {
  const meaning = errorMeanings[code]
  return meaning === undefined ? `Code ${code}` : `Code ${code}: ${meaning}`
}

/** Most copies whose distance is told one by one: the service delivers up to three times, a replay may bring many more. */
const toldCopies = 5

/** How often one event came, in words: `once`, `twice`, `3 times`. */
function timesText(copies: number): string {
  return copies <= 1 ? 'once' : copies === 2 ? 'twice' : `${formatCount(copies)} times`
}

/** The copies of one event by their distance from the first: `Received 3 times: again 5 s and 25 s after the first`. */
export function copiesText(afterFirstMs: readonly number[]): string {
  const received = `Received ${timesText(afterFirstMs.length)}`
  const again = afterFirstMs.slice(1).map((ms) => formatDuration(ms))
  if (again.length === 0) return received
  const more = again.length - toldCopies
  const told = more > 0 ? [...again.slice(0, toldCopies), `${formatCount(more)} more`] : again
  const list = told.length === 1 ? told[0]! : `${told.slice(0, -1).join(', ')} and ${told.at(-1)!}`
  return `${received}: again ${list}${more > 0 ? '' : ' after the first'}`
}
