import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

/**
 * The environment under which a process meets a disk whose syncs take `delayMs` longer, or null where it cannot be had: it needs
 * Linux and a C compiler. `folder` takes the small library that is made for it.
 */
export function slowDiskEnvironment(folder: string, delayMs: number): NodeJS.ProcessEnv | null {
  const library = join(folder, 'slow-fsync.so')
  const source = join(import.meta.dirname, 'slow-fsync.c')
  const isMade =
    process.platform === 'linux' &&
    spawnSync('cc', ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl']).status === 0
  return isMade ? { LD_PRELOAD: library, BENCH_FSYNC_DELAY_US: String(delayMs * 1_000) } : null
}
