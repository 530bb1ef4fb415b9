export type Ring<T> = ReturnType<typeof createRing<T>>

/** Keeps the newest `size` items. */
export function createRing<T>(size: number) {
  const newest: T[] = []
  return {
    push(item: T): void {
      newest.push(item)
      if (newest.length >= 2 * size) newest.splice(0, size)
    },
    /** Oldest first. */
    items: () => newest.slice(-size),
  }
}
