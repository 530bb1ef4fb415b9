import { basename } from 'node:path'
import type { OpenedDatabase } from '../../database/open.ts'
import { createLog, type Log } from '../../lib/log.ts'
import type { BookEvents, BookOpened } from './protocol.ts'

/** What had to be set aside when a database was opened. */
export const damageOf = ({ file, setAside }: OpenedDatabase): BookOpened['damage'] =>
  setAside ? [{ file: basename(file), asideFile: setAside.asideFile, lost: setAside.lost }] : []

/** A thread's log, told to the core but for what only helps in development. */
export const openLog = (scope: string, tell: BookEvents['log']): Log =>
  createLog(({ level, message, data }) => {
    if (level !== 'debug') tell(level, message, data)
  }, scope)
