import { basename } from 'node:path'
import { isAppError } from '../../contract/errors.ts'
import { mapSqliteError } from '../../database/errors.ts'
import type { OpenedDatabase } from '../../database/open.ts'
import { createLog, type Log } from '../../lib/log.ts'
import type { StoreAnswer, StoreEvents, StoreOpened } from './protocol.ts'

/** Databases set aside on opening. */
export const damageOf = ({ file, setAside }: OpenedDatabase): StoreOpened['damage'] =>
  setAside ? [{ file: basename(file), asideFile: setAside.asideFile, lost: setAside.lost }] : []

/** The answer of a call that failed. Logs an unexpected error, because the answer has only its code. */
export function refusal(error: unknown, file: string, log: Log): StoreAnswer<never> {
  if (!isAppError(error)) log.error('A call failed', { error })
  const { code, data } = mapSqliteError(error, { file: basename(file) })
  return { ok: false, code, data }
}

/** A thread's log, sent to the core without debug entries. */
export const openLog = (scope: string, tell: StoreEvents['log']): Log =>
  createLog(({ level, message, data }) => {
    if (level !== 'debug') tell(level, message, data)
  }, scope)
