import { isAppError } from '../contract/errors.ts'
import { UnsafeDataDirError } from './profile.ts'
import { UsageError } from './settings.ts'

/** Exit codes. After `restart`, `start.mjs` starts Electron again. */
export const exitCodes = { clean: 0, failed: 1, usage: 2, otherInstance: 3, restart: 75 } as const

/** Errors of the browser host's `--port` (errno(3)). */
const listenSentences: Partial<Record<string, string>> = {
  EADDRINUSE: 'Another program uses the port of --port. Nothing was opened. Choose another one.',
  EACCES: 'Your account may not use the port of --port. Nothing was opened. Choose one above 1023.',
}

/** The operator's sentence and exit code for a failed start. Null when only the log can explain it. */
export function explain(error: unknown): [sentence: string | null, exitCode: number] {
  if (error instanceof UsageError) return [error.message, exitCodes.usage]
  if (error instanceof UnsafeDataDirError) return [error.message, exitCodes.failed]
  if (isAppError(error, 'OTHER_INSTANCE')) return [error.message, exitCodes.otherInstance]
  if (isAppError(error)) return [error.message, exitCodes.failed]
  const { code, syscall, message } = error as NodeJS.ErrnoException
  if (syscall === 'listen' && code !== undefined) return [listenSentences[code] ?? null, exitCodes.failed]
  return [/npm run build/.test(message) ? message : null, exitCodes.failed]
}
