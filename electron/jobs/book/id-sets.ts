/** Ids in both lists. */
export function inBoth(some: Int32Array, others: ArrayLike<number>): Int32Array {
  let most = 0
  for (let at = 0; at < others.length; at++) most = Math.max(most, others[at]!)
  const isOther = new Uint8Array(1 + most)
  for (let at = 0; at < others.length; at++) isOther[others[at]!] = 1
  return some.filter((id) => isOther[id] === 1)
}

/** Concatenates lists of ids. */
export function joinedIds(lists: readonly Int32Array[]): Int32Array {
  const all = new Int32Array(lists.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const list of lists) {
    all.set(list, at)
    at += list.length
  }
  return all
}
