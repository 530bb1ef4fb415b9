import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'

/** Where Linux lists its IPv4 sockets (proc(5), "/proc/net/tcp"). */
const socketTable = '/proc/net/tcp'
/** Columns of that table. */
const column = { localAddress: 1, state: 3, uid: 7 } as const
const established = '01'

/**
 * The user id of the program at the other end of a loopback connection, or null where it cannot be told (not Linux, no /proc).
 * It tells an operator's own browser from a program of another user who read the one-time link from a process list.
 */
export async function ownerOf({ remoteAddress, remotePort }: Socket): Promise<number | null> {
  if (process.platform !== 'linux' || remoteAddress !== '127.0.0.1' || remotePort === undefined) return null
  let table: string
  try {
    table = await readFile(socketTable, 'utf8')
  } catch {
    return null
  }
  // 127.0.0.1 in the byte order of the table, which is that of the machine.
  const ports = `:${remotePort.toString(16).toUpperCase().padStart(4, '0')}`
  const local = ['0100007F', '7F000001'].map((address) => address + ports)
  for (const line of table.split('\n')) {
    const fields = line.trim().split(/\s+/)
    if (local.includes(fields[column.localAddress] ?? '') && fields[column.state] === established) {
      return Number(fields[column.uid])
    }
  }
  return null
}

/**
 * True when the connection comes from this user, or when that cannot be told. A console run by root takes everyone's:
 * its operator's browser runs as somebody else.
 */
export async function isOwnSocket(socket: Socket, own = process.getuid?.() ?? 0): Promise<boolean> {
  if (own === 0) return true
  const owner = await ownerOf(socket)
  return owner === null || owner === own
}
