import type { ContactRow } from '#contract/contacts.ts'

/** The ids of rows `from` to `to`, in either order; null when one of them is not loaded, since it would be left out unseen. */
export function chooseRange(
  row: (index: number) => ContactRow | undefined,
  from: number,
  to: number,
): number[] | null {
  const ids: number[] = []
  for (let at = Math.min(from, to); at <= Math.max(from, to); at++) {
    const id = row(at)?.id
    if (id === undefined) return null
    ids.push(id)
  }
  return ids
}
