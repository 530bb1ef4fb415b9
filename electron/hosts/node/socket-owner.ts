import { readFile } from 'node:fs/promises'
import { isIPv4, type Socket } from 'node:net'
import { endianness } from 'node:os'

/**
 * Where Linux lists its sockets (proc(5), "/proc/net/tcp"). An IPv6 socket that connected to the mapped address
 * `::ffff:127.0.0.1` stands in the second one only, and looks like IPv4 at our end.
 */
const socketTables = ['/proc/net/tcp', '/proc/net/tcp6']
/** Columns of these tables. */
const column = { localAddress: 1, remoteAddress: 2, state: 3, uid: 7 } as const
const established = '01'
/** A table is read while sockets come and go, and a row can be missed: so often it is looked for. */
const readings = 2

/**
 * The user id of the program at the other end of a connection from this computer; `nobody` when the tables list no such
 * connection (any more), null where it cannot be told (not Linux, no /proc).
 * It tells an operator's own browser from a program of another user who read the one-time link from a process list, or
 * received the cookie of this browser on another port.
 */
export async function ownerOf(socket: Socket, tables = socketTables): Promise<number | 'nobody' | null> {
  if (process.platform !== 'linux') return null
  const theirs = inTables(socket.remoteAddress, socket.remotePort)
  const ours = inTables(socket.localAddress, socket.localPort)
  for (let reading = 0; reading < readings; reading++) {
    const rows = await readRows(tables)
    if (rows === null) return null
    // Both ends decide: two users may hold the same port of their own, towards different ones.
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

/**
 * True when the connection comes from this user, or when that cannot be told. A console run by root takes everyone's:
 * its operator's browser runs as somebody else.
 */
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
 * The rows of all tables, split at blanks; null when the first cannot be read or has none, which our own connection rules
 * out in a true one (WSL 1 has such). The second is missing where IPv6 is switched off.
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

/** How an IPv4 end stands in the tables: as it is, and as an address mapped to IPv6. Words in the machine's byte order. */
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
