/** The number of the n-th contact in outbox tests. */
export const phoneOf = (n: number) => `+1415${2_000_000 + n}`
