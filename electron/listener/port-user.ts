import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'
import { processTitle } from '../lib/process-title.ts'

/** Where Linux lists its sockets (proc(5), "/proc/net/tcp"), and the columns that are read of it. */
const socketTables = ['/proc/net/tcp', '/proc/net/tcp6']
const column = { localAddress: 1, state: 3, inode: 9 } as const
const listening = '0A'

function tryTo<T>(read: () => T, otherwise: T): T {
  try {
    return read()
  } catch {
    return otherwise
  }
}

/** The sockets that listen on a port, as links to open files name them. */
function socketsOn(port: number): Set<string> {
  const end = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const rows = socketTables.flatMap((file) =>
    tryTo(() => readFileSync(file, 'utf8').split('\n').slice(1), []),
  )
  return new Set(
    rows
      .map((row) => row.trim().split(/\s+/))
      .filter((fields) => fields[column.state] === listening && fields[column.localAddress]!.endsWith(end))
      .map((fields) => `socket:[${fields[column.inode]}]`),
  )
}

function hasOneOf(sockets: ReadonlySet<string>, pid: string): boolean {
  const folder = `/proc/${pid}/fd`
  return tryTo(() => readdirSync(folder), []).some((fd) =>
    sockets.has(tryTo(() => readlinkSync(`${folder}/${fd}`), '')),
  )
}

/**
 * Who listens on a port, as ` (python3, process 4711)`, and whether that is another console or this one; empty where it cannot be told:
 * not Linux, or a program of another user.
 */
export function portUser(port: number): string {
  const sockets = socketsOn(port)
  if (sockets.size === 0) return ''
  const pid = tryTo(() => readdirSync('/proc'), []).find(
    (name) => /^\d+$/.test(name) && hasOneOf(sockets, name),
  )
  if (pid === undefined) return ''
  if (pid === String(process.pid)) return ' (this console itself)'
  const program = basename(tryTo(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'), '').split(/[\0 ]/)[0]!)
  if (program.toLowerCase() === processTitle) return ` (another Switchboard console, process ${pid})`
  const name = program || tryTo(() => readFileSync(`/proc/${pid}/comm`, 'utf8').trim(), '')
  return name === '' ? ` (process ${pid})` : ` (${name}, process ${pid})`
}
