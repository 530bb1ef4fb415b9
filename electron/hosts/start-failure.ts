import { isAppError } from '../contract/errors.ts'
import { exitCodes, UsageError } from '../lib/command-line.ts'
import { UnsafeDataDirError } from './profile.ts'
import { NotBuiltError } from './renderer-files.ts'
import { startText as t } from './texts.ts'

/** Errors of the browser host's `--port` (errno(3)). */
const listenErrors: Partial<Record<string, 'portTaken' | 'portForbidden'>> = {
  EADDRINUSE: 'portTaken',
  EACCES: 'portForbidden',
}

/** The operator's sentence and exit code for a failed start. Null when only the log can explain it. */
export function explain(error: unknown): [sentence: string | null, exitCode: number] {
  if (error instanceof UsageError) return [error.message, exitCodes.usage]
  if (isAppError(error, 'OTHER_INSTANCE')) return [error.message, exitCodes.otherInstance]
  if (isAppError(error) || error instanceof UnsafeDataDirError || error instanceof NotBuiltError)
    return [error.message, exitCodes.failed]
  const { code, syscall } = error as NodeJS.ErrnoException
  const listenError = syscall === 'listen' && code !== undefined ? listenErrors[code] : undefined
  return [listenError ? t(listenError) : null, exitCodes.failed]
}
