import { readFile } from 'node:fs/promises'
import { isIPv4, type Socket } from 'node:net'
import { endianness } from 'node:os'

/** Linux socket tables (proc(5)). IPv6 sockets to `::ffff:127.0.0.1` are only in the second, as IPv4 here. */
const socketTables = ['/proc/net/tcp', '/proc/net/tcp6']
const column = { localAddress: 1, remoteAddress: 2, state: 3, uid: 7 } as const
const established = '01'
/** A row can be missed while sockets come and go, so each table is read twice. */
const readings = 2

/**
 * The user ID at the other end of a local connection; `nobody` when no table lists it, null when unknown (not Linux, no /proc). Tells the
 * operator's browser from another user's program that read the link in a process list or received the cookie on another port.
 */
export async function ownerOf(socket: Socket, tables = socketTables): Promise<number | 'nobody' | null> {
  if (process.platform !== 'linux') return null
  const theirs = inTables(socket.remoteAddress, socket.remotePort)
  const ours = inTables(socket.localAddress, socket.localPort)
  for (let reading = 0; reading < readings; reading++) {
    const rows = await readRows(tables)
    if (rows === null) return null
    // Both ends decide: two users may hold the same local port towards different peers.
    const row = rows.find(
      (fields) =>
        theirs.some(
          (their, form) =>
            fields[column.localAddress] === their && fields[column.remoteAddress] === ours[form],
        ) && fields[column.state] === established,
    )
    if (row) return Number(row[column.uid])
  }
  return 'nobody'
}

/** Whether the connection is this user's or unknown. Root accepts all: its operator's browser is someone else's. */
export async function isOwnSocket(
  socket: Socket,
  own = process.getuid?.() ?? 0,
  tables = socketTables,
): Promise<boolean> {
  if (own === 0) return true
  const owner = await ownerOf(socket, tables)
  return owner === null || owner === own
}

/**
 * Rows of all tables. Null when the first is unreadable or empty (WSL 1), because it would list our own connection.
 * The second is missing without IPv6.
 */
async function readRows(tables: string[]): Promise<string[][] | null> {
  const texts = await Promise.all(tables.map((file) => readFile(file, 'utf8').catch(() => '')))
  const [first = [], ...others] = texts.map((text) =>
    text
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields.length > column.uid),
  )
  return first.length === 0 ? null : [first, ...others].flat()
}

/** The table forms of an IPv4 address and port: plain and mapped to IPv6, in host byte order. */
function inTables(address: string | undefined, port: number | undefined): string[] {
  if (address === undefined || port === undefined || !isIPv4(address)) return []
  const octets = address.split('.').map((octet) => hex(Number(octet), 2))
  const isLittle = endianness() === 'LE'
  const word = (isLittle ? octets.reverse() : octets).join('')
  const mapped = isLittle ? 'FFFF0000' : '0000FFFF'
  return [word, `${'0'.repeat(16)}${mapped}${word}`].map((form) => `${form}:${hex(port, 4)}`)
}

function hex(value: number, digits: number): string {
  return value.toString(16).toUpperCase().padStart(digits, '0')
}
