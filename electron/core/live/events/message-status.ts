/**
 * How far along a message is, by status. The higher rank stands, in whatever order the reports arrive.
 *
 * Between final statuses the order is fixed, not "first" or "last" wins: arrival order says nothing (retries overtake each
 * other) and the spec gives no time but `delivered_at`. `delivered` is the only one with a receipt from the other end, so it
 * stands above the three that say "not known to have arrived"; `failed` and `rejected` carry a cause, `expired` only the
 * absence of one. A status the spec does not name stands above `submitted` and below every final one.
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

/** Rank of a status in any letter case. */
export function rankOf(status: string): number {
  return ranks.get(status.toLowerCase()) ?? unknownRank
}

/** True when no further report is expected for a message of this rank. */
export function isFinal(rank: number): boolean {
  return rank >= finalFromRank
}

/** The spec's four error codes of delivery reports. */
const errorMeanings = new Map<number, string>([
  [1, 'Invalid destination'],
  [2, 'Destination unreachable'],
  [3, 'Insufficient balance'],
  [4, 'Message rejected'],
])

/** What the spec says a dlr error code means, or null for one it does not name. */
export function errorMeaning(code: number | null): string | null {
  return code === null ? null : (errorMeanings.get(code) ?? null)
}
