import { statfsSync } from 'node:fs'

/** Bytes that are free for this user on the disk of an existing folder. Throws what the file system does. */
export function freeBytes(dir: string): number {
  const { bavail, bsize } = statfsSync(dir)
  return bavail * bsize
}
