import electronLog from 'electron-log/node.js'
import { join } from 'node:path'
import type { LogEntry } from '../../lib/log.ts'
import { formatLogLine } from '../log-lines.ts'

/** At this size the log starts over; the previous one stays as `main.old.log`. */
const maxSizeBytes = 5 * 1024 * 1024

/** Writes redacted log lines to `logs/main.log` of the profile. */
export function createFileLog(dataDir: string): (entry: LogEntry) => void {
  const file = electronLog.create({ logId: 'switchboard' })
  file.transports.file.resolvePathFn = () => join(dataDir, 'logs', 'main.log')
  file.transports.file.maxSize = maxSizeBytes
  file.transports.file.format = '{text}'
  file.transports.console.level = false
  return (entry) => file[entry.level](formatLogLine(entry))
}
