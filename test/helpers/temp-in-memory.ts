import { readFileSync, statfsSync } from 'node:fs'

const memory = '/dev/shm'
/** Room for the largest test database in each of a few workers. */
const roomBytes = 2 * 2 ** 30

/**
 * Puts the temporary folders of this process and its children in memory where Linux offers that: databases wait for their disk at every
 * commit, and no test is about how long that takes.
 */
export function keepTempInMemory(): void {
  if (process.platform !== 'linux' || process.env['TMPDIR'] !== undefined) return
  try {
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .find((line) => line.split(' ')[1] === memory)
    const { bavail, bsize } = statfsSync(memory)
    // Some tests start programs from their folder.
    if (!mount || /\b(noexec|ro)\b/.test(mount.split(' ')[3]!) || bavail * bsize < roomBytes) return
    process.env['TMPDIR'] = memory
  } catch {
    // Fall back to the usual folder.
  }
}
