/**
 * How far along a message is, by status. The highest rank wins, in any order of arrival: retries overtake each other, and the spec gives
 * no time but `delivered_at`. `delivered` is highest, as only it has a receipt from the recipient; `failed` and `rejected` give a cause,
 * `expired` gives none. An unknown status ranks above `submitted` and below every final one.
 */
const ranks = new Map<string, number>([
  ['pending', 1],
  ['queued', 2],
  ['submitted', 3],
  ['expired', 10],
  ['rejected', 11],
  ['failed', 12],
  ['delivered', 13],
])

const unknownRank = 5
const finalFromRank = 10

/** Rank of a status as `knownStatus` spells it. */
export const rankOf = (status: string): number => ranks.get(status) ?? unknownRank

/** Whether a report of this status can mean a failure, so that its error code counts. */
export const canFail = (status: string): boolean => status !== 'delivered' && status !== 'submitted'

/** Whether no further report is expected at this rank. */
export function isFinal(rank: number): boolean {
  return rank >= finalFromRank
}
