import type { Phrase } from '../contract/phrases.ts'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { isIP, SocketAddress } from 'node:net'
import { endianness } from 'node:os'
import { basename } from 'node:path'

/** The console's process name in the process list. */
export const processTitle = 'switchboard'

/** Linux socket tables and the columns read (proc(5), "/proc/net/tcp"). */
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

/** Normalizes an address; IPv4-mapped IPv6 becomes IPv4. */
const canonical = (address: string): string =>
  isIP(address) === 6
    ? new SocketAddress({ address: address.split('%')[0]!, family: 'ipv6' }).address.replace(
        /^::ffff:(?=\d+\.)/,
        '',
      )
    : address

/** Decodes the tables' format: 32-bit words in host byte order. */
function addressOf(hex: string): string {
  const bytes = Buffer.from(hex, 'hex')
  if (endianness() === 'LE') bytes.swap32()
  return bytes.length === 4 ? bytes.join('.') : canonical(bytes.toString('hex').match(/.{4}/g)!.join(':'))
}

/** True when two addresses can't listen on the same port. A host name may be any address. */
function excludes(one: string, other: string): boolean {
  if (one === other || one === '::' || other === '::' || isIP(one) === 0 || isIP(other) === 0) return true
  return isIP(one) === isIP(other) && (one === '0.0.0.0' || other === '0.0.0.0')
}

/** Sockets that block `host` and `port`, as /proc names them. */
function socketsAt(host: string, port: number): string[] {
  const end = port.toString(16).toUpperCase().padStart(4, '0')
  const wanted = canonical(host)
  const rows = socketTables.flatMap((file) =>
    tryTo(() => readFileSync(file, 'utf8').split('\n').slice(1), []),
  )
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter((fields) => {
      if (fields[column.state] !== listening) return false
      const [address, atPort] = fields[column.localAddress]!.split(':')
      return atPort === end && excludes(wanted, addressOf(address!))
    })
    .map((fields) => `socket:[${fields[column.inode]}]`)
}

const openFilesOf = (pid: string): string[] =>
  tryTo(() => readdirSync(`/proc/${pid}/fd`), []).map((fd) =>
    tryTo(() => readlinkSync(`/proc/${pid}/fd/${fd}`), ''),
  )

/** The first process of each socket; its children hold it too. */
function processesOf(sockets: readonly string[]): string[] {
  const left = new Set(sockets)
  const found: string[] = []
  for (const pid of tryTo(() => readdirSync('/proc'), []).filter((name) => /^\d+$/.test(name))) {
    if (left.size === 0) break
    const had = openFilesOf(pid).filter((file) => left.delete(file))
    if (had.length > 0) found.push(pid)
  }
  return found
}

function nameOf(pid: string): Phrase {
  if (pid === String(process.pid)) return { key: 'listener.itself' }
  const program = basename(tryTo(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'), '').split(/[\0 ]/)[0]!)
  if (program.toLowerCase() === processTitle) return { key: 'listener.another', pid }
  const name = program || tryTo(() => readFileSync(`/proc/${pid}/comm`, 'utf8').trim(), '')
  return name === '' ? { key: 'listener.process', pid } : { key: 'listener.program', program: name, pid }
}

/** Cached, because a taken port is retried every few seconds and a scan visits all processes. */
let last: { sockets: string; user: Phrase } = { sockets: '', user: { key: 'listener.otherProgram' } }

/**
 * Who holds `host` and `port`: “python3, process 4711”. “Another program” when unknown: not Linux, or another user's
 * program.
 */
export function portUser(host: string, port: number): Phrase {
  const sockets = socketsAt(host, port)
  const key = sockets.join(' ')
  if (key !== last.sockets) {
    const users = processesOf(sockets).map(nameOf)
    const [user = { key: 'listener.otherProgram' }, ...others] = users
    last = { sockets: key, user: others.length === 0 ? user : { key: 'listener.users', users } }
  }
  return last.user
}
