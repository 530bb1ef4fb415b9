import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { endianness } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isOwnSocket, ownerOf } from '#electron/hosts/node/socket-owner.ts'
import { tempFolder } from '../../../helpers/temp-folder.ts'

const linux = process.platform === 'linux'
/** Debian's `nobody`. */
const otherUser = 65_534

/** A server, and the next connection to it as the server sees it. */
async function listening() {
  const server = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { port, next: async () => ((await once(server, 'connection')) as [Socket])[0] }
}

test.runIf(linux)('recognises a program of this user', async () => {
  const { port, next } = await listening()
  const client = connect(port, '127.0.0.1')
  onTestFinished(() => void client.destroy())
  const socket = await next()
  expect(await ownerOf(socket)).toBe(process.getuid!())
  expect(await isOwnSocket(socket, process.getuid!())).toBe(true)
})

const waysIn = [
  ['by IPv4', `{ host: '127.0.0.1' }`],
  ['by an IPv6 socket to the mapped address', `{ host: '::ffff:127.0.0.1' }`],
  ['from another address of the loopback', `{ host: '127.0.0.1', localAddress: '127.0.0.2' }`],
] as const
test.runIf(linux && process.getuid!() === 0).each(waysIn)(
  'recognises a program of another user, connected %s',
  async (_name, where) => {
    const { port, next } = await listening()
    const stranger = spawn(
      process.execPath,
      ['-e', `require('net').connect({ port: ${port}, ...${where} })`],
      { uid: otherUser },
    )
    onTestFinished(() => void stranger.kill('SIGKILL'))
    const socket = await next()
    expect(await isOwnSocket(socket, 1000)).toBe(false)
    expect(await ownerOf(socket)).toBe(otherUser)
    expect(await isOwnSocket(socket, otherUser)).toBe(true)
    // Root's console used from another user's browser.
    expect(await isOwnSocket(socket, 0)).toBe(true)
  },
)

const little = endianness() === 'LE'
const row = (localPort: number, remotePort: number, uid: number) => {
  const address = (port: number) =>
    `${little ? '0100007F' : '7F000001'}:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return `   0: ${address(localPort)} ${address(remotePort)} 01 00000000:00000000 00:00000000 00000000 ${uid} 0 1 1 0 20\n`
}
const head = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n'
const tableOf = (text: string): string[] => {
  const file = join(tempFolder(), 'tcp')
  writeFileSync(file, head + text)
  return [file]
}
const loopback = '127.0.0.1'
const socketFrom = (remotePort: number) =>
  ({ remoteAddress: loopback, remotePort, localAddress: loopback, localPort: 8_080 }) as Socket

describe.runIf(linux)('the socket table', () => {
  test('tells two users on one port apart by their peers', async () => {
    const files = tableOf(row(40_000, 5_432, 1_000) + row(40_000, 8_080, otherUser))
    expect(await isOwnSocket(socketFrom(40_000), 1_000, files)).toBe(false)
    expect(await ownerOf(socketFrom(40_000), files)).toBe(otherUser)
  })

  test('refuses a connection the table does not list', async () => {
    const files = tableOf(row(40_000, 8_080, 1_000))
    expect(await isOwnSocket(socketFrom(40_001), 1_000, files)).toBe(false)
    expect(await isOwnSocket(socketFrom(40_000), 1_000, files)).toBe(true)
  })

  test('refuses a connection that has ended', async () => {
    expect(await isOwnSocket({} as Socket, 1_000)).toBe(false)
  })

  test('assumes this user without a table or with an empty one', async () => {
    expect(await isOwnSocket(socketFrom(40_000), 1_000, [join(tempFolder(), 'none')])).toBe(true)
    expect(await isOwnSocket(socketFrom(40_000), 1_000, tableOf(''))).toBe(true)
  })
})
