/** The number of the n-th contact of the outbox's tests. */
export const phoneOf = (n: number) => `+1415${2_000_000 + n}`
