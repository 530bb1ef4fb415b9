import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/websocket'
import type { ContractRouterClient } from '@orpc/contract'
import { once } from 'node:events'
import { connect as connectTo } from 'node:net'
import { MessageChannel } from 'node:worker_threads'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import type { Contract } from '#contract/contract.ts'
import { longestCallBytes, pastedLength, pieceBytes, pieceLength } from '#contract/limits.ts'
import { type BrowserSession, browserSessionsSchema } from '#contract/connection/sessions.ts'
import { wireTypes } from '#contract/wire-types.ts'
import { createFakeClock } from '../../../helpers/fake-clock.ts'
import { rawRequest, sendRaw, startTestWebServer, upgradeHeaders } from '../../../helpers/web-server.ts'

async function running(options: Parameters<typeof startTestWebServer>[0] = {}) {
  const server = await startTestWebServer(options)
  onTestFinished(() => server.stop())
  const open = async (): Promise<WebSocket> => {
    const socket = new WebSocket(`ws://127.0.0.1:${server.web.port}/rpc`, {
      origin: server.origin,
      headers: { cookie: server.cookie },
    })
    socket.on('error', () => {})
    await once(socket, 'open')
    return socket
  }
  const { port } = server.web
  const handshake = (path = '/rpc', more = upgradeHeaders()) =>
    rawRequest('GET', path, [
      ['Host', `127.0.0.1:${port}`],
      ['Origin', server.origin],
      ['Cookie', server.cookie],
      ...more,
    ])
  /** The answer to a handshake of the signed-in page. */
  const upgrade = (...change: Parameters<typeof handshake>) => sendRaw(port, handshake(...change))
  /** A raw socket without the client library: writes go out unchanged. */
  const openRaw = async () => {
    const raw = connectTo(port, '127.0.0.1')
    raw.on('error', () => {})
    raw.write(handshake())
    const [head] = (await once(raw, 'data')) as [Buffer]
    expect(head.toString()).toMatch(/^HTTP\/1\.1 101/)
    return raw
  }
  return { ...server, open, openRaw, upgrade }
}

/** The answer to one frame. */
async function echo(socket: WebSocket, frame: string | Buffer): Promise<string> {
  const answer = once(socket, 'message') as Promise<[Buffer]>
  socket.send(frame)
  return (await answer)[0].toString()
}

const closeOf = async (socket: WebSocket) => (await (once(socket, 'close') as Promise<[number]>))[0]

describe('a socket of the browser host', () => {
  test('carries frames unchanged in both directions, without compression', async () => {
    const socket = await (await running()).open()
    expect(socket.extensions).toBe('')
    expect(await echo(socket, 'text é 📡')).toBe('text é 📡')
  })

  test('opens once the core is ready', async () => {
    const core = Promise.withResolvers<null>()
    const { web, open } = await running({ ready: core.promise })
    const order: string[] = []
    const opened = open().then(() => order.push('open'))
    await once(web.server, 'upgrade')
    // Another socket's full round trip: without the wait, the first would be open by then.
    expect((await fetch(`http://127.0.0.1:${web.port}/`)).status).toBe(200)
    order.push('ready')
    core.resolve(null)
    await opened
    expect(order).toEqual(['ready', 'open'])
  })

  test('ends when the core does not start', async () => {
    const core = Promise.withResolvers<null>()
    const { web, origin, cookie } = await running({ ready: core.promise })
    const socket = new WebSocket(`ws://127.0.0.1:${web.port}/rpc`, { origin, headers: { cookie } })
    const failed = once(socket, 'error')
    await once(web.server, 'upgrade')
    core.reject(new Error('The core did not start'))
    await failed
    expect(socket.readyState).toBe(WebSocket.CLOSED)
  })

  test('closes with 1009 at the header of a 1 GB frame, before allocating', async () => {
    const { openRaw, open } = await running()
    const before = process.memoryUsage().rss
    const raw = await openRaw()
    // FIN + text, masked, 64-bit length (RFC 6455 §5.2).
    const header = Buffer.alloc(14)
    header.writeUInt8(0x81, 0)
    header.writeUInt8(0xff, 1)
    header.writeBigUInt64BE(1_073_741_824n, 2)
    raw.write(header)
    const [close] = (await once(raw, 'data')) as [Buffer]
    expect(close.readUInt8(0)).toBe(0x88)
    expect(close.readUInt16BE(2)).toBe(1009)
    raw.destroy()
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1_048_576)
    expect(await echo(await open(), 'still here')).toBe('still here')
  })

  test('accepts a frame of the contract’s longest call and closes at one byte more', async () => {
    const { open, ports } = await running()
    const socket = await open()
    const lengths: number[] = []
    const client: ContractRouterClient<Contract> = createORPCClient(
      new RPCLink({
        websocket: socket as unknown as globalThis.WebSocket,
        customJsonSerializers: wireTypes,
      }),
    )
    ports[0]!.on('message', (frame: string | Uint8Array) => lengths.push(Buffer.byteLength(frame)))
    const bytes = Buffer.alloc(pieceBytes, 0xff)
    // This core never answers the page's calls: the far end echoes.
    const asked = [
      client.files.append({ fileId: 'f'.repeat(36), offset: 10 ** 12, base64: bytes.toString('base64') }),
      client.dnc.checkFile({
        name: '\u0001'.repeat(255),
        source: { text: '\u0001'.repeat(pastedLength) },
        region: 'DE',
        hasCountryCodes: false,
      }),
    ].map((call) => call.catch(() => undefined))
    await expect.poll(() => lengths.length).toBe(2)
    expect(lengths[0]).toBeGreaterThan(pieceLength)
    expect(lengths[1]).toBeGreaterThan(6 * pastedLength)
    expect(Math.max(...lengths)).toBeLessThanOrEqual(longestCallBytes)

    const closed = closeOf(socket)
    socket.send('x'.repeat(longestCallBytes + 1))
    expect(await closed).toBe(1009)
    await Promise.all(asked)
  })

  test('disconnects a page that does not read', async () => {
    const { port1: host, port2: core } = new MessageChannel()
    const { openRaw } = await running({ connect: () => host })
    const raw = await openRaw()
    raw.pause()
    const ended = once(core, 'close')
    const frame = 'x'.repeat(1_048_576)
    const timer = setInterval(() => {
      for (let index = 0; index < 8; index++) core.postMessage(frame)
    }, 5)
    await ended
    clearInterval(timer)
    raw.destroy()
  })

  test('disconnects a browser that misses a ping', async () => {
    const clock = createFakeClock()
    const { open, openRaw } = await running({ clock })
    const [deaf, alive] = [await openRaw(), await open()]
    const gone = once(deaf, 'close')
    const pinged = once(alive, 'ping')
    await clock.advance(15_000)
    await pinged
    // The pong travels over a real socket.
    expect(await echo(alive, 'after the pong')).toBe('after the pong')
    await clock.advance(15_000)
    await gone
    expect(await echo(alive, 'still here')).toBe('still here')
  })

  test('passes on the end of core and browser', async () => {
    const { open, ports } = await running()
    const lost = closeOf(await open())
    ports[0]!.close()
    expect(await lost).toBe(1012)
    const leaving = await open()
    const left = once(ports[1]!, 'close')
    leaving.terminate()
    await left
  })

  test('refuses pages above the limit until one closes', async () => {
    const { open, upgrade } = await running()
    const sockets = await Promise.all(Array.from({ length: 64 }, open))
    expect((await upgrade()).status).toBe(403)
    sockets.pop()!.terminate()
    await expect.poll(async () => (await upgrade()).status).toBe(101)
  })

  test('lists sessions, and closes only the sockets of a session that ends', async () => {
    const { open, web, origin, cookie } = await running()
    const [other] = web.access
      .exchange(
        new URL(web.access.link()).hash.slice('#token='.length),
        'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
      )!
      .split(';') as [string]
    const mine = await open()
    const theirs = new WebSocket(`${origin.replace('http', 'ws')}/rpc`, {
      origin,
      headers: { cookie: other },
    })
    await once(theirs, 'open')
    const list = async (own: string) => {
      const answer = await fetch(`${origin}/sessions`, {
        headers: { cookie: own, 'sec-fetch-site': 'same-origin' },
      })
      return answer.ok ? browserSessionsSchema.parse(await answer.json()).sessions : answer.status
    }
    const sessions = (await list(cookie)) as BrowserSession[]
    expect(sessions.map(({ browser, isCurrent }) => [browser, isCurrent])).toEqual([
      ['Firefox on Linux', false],
      ['Unknown browser', true],
    ])
    const end = (headers: Record<string, string>) =>
      fetch(`${origin}/sessions`, { method: 'POST', headers, body: JSON.stringify({ id: sessions[0]!.id }) })
    expect((await end({ origin })).status).toBe(401)
    expect((await end({ cookie, origin: 'http://evil.example' })).status).toBe(403)
    const closed = closeOf(theirs)
    expect((await end({ cookie, origin })).status).toBe(204)
    expect(await closed).toBe(1008)
    expect(await list(other)).toBe(401)
    expect(await echo(mine, 'still here')).toBe('still here')
  })

  test('drops a browser whose session ended and that ignores the close', async () => {
    const clock = createFakeClock()
    const { openRaw, origin, cookie } = await running({ clock })
    const raw = await openRaw()
    const headers = { cookie, 'sec-fetch-site': 'same-origin' }
    const { sessions } = browserSessionsSchema.parse(
      await (await fetch(`${origin}/sessions`, { headers })).json(),
    )
    const closing = once(raw, 'data')
    await fetch(`${origin}/sessions`, {
      method: 'POST',
      headers: { cookie, origin },
      body: JSON.stringify({ id: sessions[0]!.id }),
    })
    await closing
    expect(raw.closed).toBe(false)
    await clock.advance(500)
    // Otherwise `ws` waits for 30 s.
    await expect.poll(() => raw.closed, { timeout: 10_000 }).toBe(true)
  })

  test('ends a session after 30 days for requests, new and open sockets', async () => {
    const clock = createFakeClock()
    const { open, origin, cookie } = await running({ clock })
    const socket = await open()
    const session = async () =>
      (await fetch(`${origin}/session`, { headers: { cookie, 'sec-fetch-site': 'same-origin' } })).status
    clock.jumpWall(30 * 86_400_000 - 1)
    expect(await session()).toBe(204)
    expect(await echo(socket, 'still here')).toBe('still here')
    clock.jumpWall(1)
    expect(await session()).toBe(401)
    const closed = closeOf(socket)
    await clock.advance(15_000)
    expect(await closed).toBe(1008)
    await expect(open()).rejects.toThrow()
  })

  test.each([
    ['to another user', () => Promise.resolve(false)],
    ['whose owner can’t be read', () => Promise.reject(new Error('no table'))],
  ])('refuses a socket with the cookie %s', async (_who, others) => {
    let isOwn = true
    let asked = 0
    const { open, upgrade, ports } = await running({
      isOwnSocket: () => {
        asked++
        return isOwn ? Promise.resolve(true) : others()
      },
    })
    const mine = await open()
    expect(await echo(mine, 'a click')).toBe('a click')
    asked = 0
    isOwn = false
    const { status, text } = await upgrade()
    expect(status).toBe(403)
    expect(text).toContain('another user of this computer')
    expect([asked, ports.length]).toEqual([1, 1])
    expect(await echo(mine, 'still here')).toBe('still here')
    expect(text).toMatch(/^X-Content-Type-Options: nosniff\r$/im)
  })

  test('opens no socket for another protocol or at another path', async () => {
    const { upgrade } = await running()
    for (const protocol of ['h2c', 'TLS/1.0', 'websocket2', '']) {
      const headers: [string, string][] = [
        ['Connection', 'Upgrade'],
        ['Upgrade', protocol],
      ]
      expect((await upgrade('/rpc', headers)).status, protocol).toBeGreaterThanOrEqual(400)
    }
    for (const path of '/ /rpc/ /RPC /rpc%00 //rpc /session /assets/stub.js /rpc/.. /%72pc'.split(' '))
      expect((await upgrade(path)).status, path).toBe(404)
  })
})
