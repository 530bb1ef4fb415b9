import { statfsSync } from 'node:fs'

/** Bytes available to this user on the disk of an existing folder. Throws file system errors. */
export function freeBytes(dir: string): number {
  const { bavail, bsize } = statfsSync(dir)
  return bavail * bsize
}
