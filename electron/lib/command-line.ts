import { fstatSync, readFileSync, statSync } from 'node:fs'

/** A wrong command line, environment or settings file. The message says what is wrong, where, and what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** After `restart`, `start.mjs` starts Electron again. */
export const exitCodes = { clean: 0, failed: 1, usage: 2, otherInstance: 3, restart: 75 } as const

/** Throws `UsageError` with `problem` if the text is no port. 0 is one. */
export function portOf(text: string, problem: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN
  if (port <= 65_535) return port
  throw new UsageError(problem)
}

/**
 * Reads a file, pipe or descriptor. First calls `onOpen` with its mode, such as `644`, if others have one of the `forbidden` rights. Throws
 * `UsageError` with the `problem` of an error code.
 */
export function readGuarded(
  file: string | number,
  forbidden: number,
  { onOpen, problem }: { onOpen: (mode: string) => void; problem: (code: string) => string },
): string {
  try {
    const stats = typeof file === 'number' ? fstatSync(file) : statSync(file)
    // The mode of a pipe without a name means nothing: macOS gives each 660.
    const isNamed = typeof file === 'string' && !/^\/dev\/(fd\/|stdin$)/.test(file)
    const hasRights = process.platform !== 'win32' && (stats.isFile() || (isNamed && stats.isFIFO()))
    if (hasRights && (stats.mode & forbidden) !== 0) onOpen((stats.mode & 0o777).toString(8))
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(problem((error as NodeJS.ErrnoException).code ?? 'unknown error'))
  }
}

/** Calls `stop` once: at a signal, or when the starter closes its channel. */
export function endOnSignal(stop: () => void): void {
  let isEnding = false
  const end = () => {
    // npm and the terminal both send Ctrl+C.
    if (isEnding) return
    isEnding = true
    stop()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end)
  // start.mjs runs us on another runtime; without its channel nobody could stop us.
  if (process.connected) process.on('disconnect', end)
}

/** A closed terminal or pipe, or SIGUSR1, must not end the program or open its debugger. */
export function ignoreTerminal(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  ignoreDebugSignal()
}

/** Node's default opens the debugger to every program of this user. Windows has no such signal. */
export function ignoreDebugSignal(): void {
  if (process.platform !== 'win32') process.on('SIGUSR1', () => {})
}
