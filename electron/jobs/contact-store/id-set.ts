/** Ids per page, as bits of an id. A page has a bit for each. */
const pageBits = 16

/** A set of ids. Its memory follows the ids in it: the highest id also counts contacts deleted long ago. */
export function createIdSet(ids: ArrayLike<number> = []) {
  const pages: Uint32Array[] = []
  const has = (id: number): boolean => {
    const page = pages[id >> pageBits]
    return page !== undefined && ((page[(id & ((1 << pageBits) - 1)) >> 5]! >>> (id & 31)) & 1) === 1
  }
  function add(id: number): void {
    const page = (pages[id >> pageBits] ??= new Uint32Array(1 << (pageBits - 5)))
    page[(id & ((1 << pageBits) - 1)) >> 5]! |= 1 << (id & 31)
  }
  for (let at = 0; at < ids.length; at++) add(ids[at]!)
  return { has, add }
}
