import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

/**
 * The environment in which a process’s disk syncs take `delayMs` longer, or null without Linux and a C compiler. The small library for it
 * is built in `folder`.
 */
export function slowDiskEnvironment(folder: string, delayMs: number): NodeJS.ProcessEnv | null {
  const library = join(folder, 'slow-fsync.so')
  const source = join(import.meta.dirname, 'slow-fsync.c')
  const isMade =
    process.platform === 'linux' &&
    spawnSync('cc', ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl']).status === 0
  return isMade ? { LD_PRELOAD: library, BENCH_FSYNC_DELAY_US: String(delayMs * 1_000) } : null
}
