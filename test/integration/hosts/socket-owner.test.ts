import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { spawn } from 'node:child_process'
import { expect, onTestFinished, test } from 'vitest'
import { isOwnSocket, ownerOf } from '#electron/hosts/node/socket-owner.ts'

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

test.runIf(linux)('a program of this user is told', async () => {
  const { port, next } = await listening()
  const client = connect(port, '127.0.0.1')
  onTestFinished(() => void client.destroy())
  const socket = await next()
  expect(await ownerOf(socket)).toBe(process.getuid!())
  expect(await isOwnSocket(socket, process.getuid!())).toBe(true)
})

test.runIf(linux && process.getuid!() === 0)(
  'a program of another user is told, and is not taken for this one',
  async () => {
    const { port, next } = await listening()
    const stranger = spawn(process.execPath, ['-e', `require('net').connect(${port}, '127.0.0.1')`], {
      uid: otherUser,
    })
    onTestFinished(() => void stranger.kill('SIGKILL'))
    const socket = await next()
    expect(await ownerOf(socket)).toBe(otherUser)
    expect(await isOwnSocket(socket, 1000)).toBe(false)
    expect(await isOwnSocket(socket, otherUser)).toBe(true)
    // Root's console is used by somebody else's browser.
    expect(await isOwnSocket(socket, 0)).toBe(true)
  },
)

test('what cannot be told is taken for this user', async () => {
  expect(await isOwnSocket({ remoteAddress: '10.0.0.1', remotePort: 1 } as Socket, 1000)).toBe(true)
  expect(await isOwnSocket({} as Socket, 1000)).toBe(true)
})
