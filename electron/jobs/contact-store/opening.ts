import { basename } from 'node:path'
import type { OpenedDatabase } from '../../database/open.ts'
import { createLog, type Log } from '../../lib/log.ts'
import type { StoreEvents, StoreOpened } from './protocol.ts'

/** Databases set aside on opening. */
export const damageOf = ({ file, setAside }: OpenedDatabase): StoreOpened['damage'] =>
  setAside ? [{ file: basename(file), asideFile: setAside.asideFile, lost: setAside.lost }] : []

/** A thread's log, sent to the core without debug entries. */
export const openLog = (scope: string, tell: StoreEvents['log']): Log =>
  createLog(({ level, message, data }) => {
    if (level !== 'debug') tell(level, message, data)
  }, scope)
