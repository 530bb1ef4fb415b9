import type { Database } from './open.ts'

/** Bytes of a database file that hold something. What was deleted leaves room in the file, which is used again before it grows. */
export function usedBytesOf(db: Database): number {
  const figure = (name: string) => Number(db.pragma(name, { simple: true }))
  return (figure('page_count') - figure('freelist_count')) * figure('page_size')
}
