import { fork } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The measurements of one import, taken in its process. */
export interface ImportRun {
  ms: number
  /** Of it for a workbook: until it was a table. */
  openMs: number
  /** Memory of the process until then, at most. */
  openRssMiB: number
  cpuMs: number
  stored: number
  invalid: number
  marked: number
  /** Contacts found afterwards by a search. */
  found: number
  /** The slowest page of the list requested meanwhile. */
  pageMaxMs: number
  /** The longest time the core’s thread was blocked. */
  longestStallMs: number
  coreHeapMiB: number
  rssMiB: number
}

/**
 * The released console is compiled; a benchmark runs its source. Node’s compiled source is cached here, so that a thread starts about as
 * fast as in the build (job: 105 ms, in the build 115, without this 260; 2026-11-22). The compared programs use it, too.
 */
const compiled = join(tmpdir(), 'switchboard-bench-compiled')

/** Runs a module of this folder and returns its result. */
export async function measure<T>(module: string, args: string[]): Promise<T> {
  const child = fork(join(import.meta.dirname, module), args, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, NODE_COMPILE_CACHE: compiled },
  })
  const messages: unknown[] = []
  child.on('message', (message) => messages.push(message))
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0 || messages.length === 0) throw new Error(`${module} ended with ${String(code)}`)
  return messages.at(-1) as T
}
