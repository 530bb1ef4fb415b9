import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { ListenerPlace } from '#electron/listener/protocol.ts'
import { dlr, requestBytes, sign, startListener } from '../../helpers/listener.ts'
import { rawConnection } from '../../helpers/raw-http.ts'
import { freePort, takePort } from '../../helpers/ports.ts'

const body = dlr('m1')
const place = (change: Partial<ListenerPlace>): ListenerPlace => ({
  host: '127.0.0.1',
  port: 0,
  path: '/webhooks',
  allowUnsigned: false,
  ...change,
})

describe('an unavailable address', () => {
  it('names a taken port and uses no other', async () => {
    const { port, release } = await takePort()
    const { started, listener } = await startListener({ port })
    expect(started).toMatchObject({ kind: 'refused', code: 'PORT_TAKEN', data: { port } })
    await release()
    expect(await listener.reconfigure(place({ port }))).toMatchObject({ kind: 'listening', port })
  })

  // RFC 5737: an address for documentation, as another computer’s.
  it.each(['192.0.2.1', '127.0.0.1.999'])('names the address %s', async (address) => {
    const { started } = await startListener({ host: address })
    expect(started).toMatchObject({ kind: 'refused', code: 'ADDRESS_UNAVAILABLE', data: { address } })
  })

  it('needs a secret to listen beyond this computer', async () => {
    const { started, listener } = await startListener({ host: '0.0.0.0', secrets: [] })
    expect(started).toMatchObject({ kind: 'refused', code: 'WIDE_BIND_NEEDS_SECRET' })
    const unsigned = place({ host: '0.0.0.0', allowUnsigned: true })
    expect(await listener.reconfigure(unsigned)).toMatchObject({ code: 'WIDE_BIND_NEEDS_SECRET' })
    listener.setSecrets([{ id: 'a', label: 'A', value: 'x' }])
    expect(await listener.reconfigure(place({ host: '0.0.0.0' }))).toMatchObject({
      kind: 'listening',
      address: '0.0.0.0',
    })
  })

  it.runIf(process.getuid?.() === 0 && process.platform === 'linux')('names a privileged port', async () => {
    const source = resolve(import.meta.dirname, '../../../electron/listener/bind.ts')
    const child = spawn(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `import { createServer } from 'node:http'
           import { bind } from ${JSON.stringify(pathToFileURL(source).href)}
           try { await bind(createServer(), '127.0.0.1', 81); console.log('bound') }
           catch (error) { console.log(error.code ?? error) }
           process.exit()`,
      ],
      { uid: 65_534, gid: 65_534, stdio: ['ignore', 'pipe', 'inherit'] },
    )
    const [said] = (await once(child.stdout, 'data')) as [Buffer]
    const text = said.toString().trim()
    if (text === 'bound') console.log('not shown: this system lets everyone use low ports')
    else expect(text).toBe('PORT_FORBIDDEN')
  })
})

describe('moving the listener', () => {
  it('changes path and unsigned rule at once, on the same port', async () => {
    const { listener, port, post } = await startListener()
    const connection = rawConnection(port)
    connection.write(requestBytes(body))
    expect((await connection.answers())[0]!.status).toBe(200)
    const moved = await listener.reconfigure(place({ port, path: '/other', allowUnsigned: true }))
    expect(moved).toMatchObject({ kind: 'listening', port, path: '/other', lastSeq: 1 })
    connection.write(requestBytes(body, {}).replace('/webhooks', '/other'))
    expect((await connection.answers(2))[1]!.status).toBe(200)
    expect(await post(body)).toMatchObject({ status: 404 })
    connection.destroy()
  })

  it('frees the old port and begins a new period', async () => {
    const { listener, port, post, spans } = await startListener()
    const free = await freePort()
    await post(body)
    const moved = await listener.reconfigure(place({ port: free }))
    expect(moved).toMatchObject({ kind: 'listening', port: free })
    await expect(post(body)).rejects.toThrow()
    const answer = await fetch(`http://127.0.0.1:${free}/webhooks`, {
      method: 'POST',
      body,
      headers: { 'x-webhook-signature': sign(body) },
    })
    expect(answer.status).toBe(200)
    expect(spans()).toMatchObject([
      { port, endReason: 'moved' },
      { port: free, endReason: null },
    ])
  })

  it('stays without a port when the new one is taken, and can return', async () => {
    const { listener, port, post, rows } = await startListener()
    const taken = await takePort()
    expect(await listener.reconfigure(place({ port: taken.port }))).toMatchObject({ code: 'PORT_TAKEN' })
    await expect(post(body)).rejects.toThrow()
    expect(await listener.reconfigure(place({ port }))).toMatchObject({ kind: 'listening', port })
    expect(await post(body)).toMatchObject({ status: 200 })
    expect(rows()).toHaveLength(1)
  })
})

it('a stop answers and stores open requests, then closes every socket', async () => {
  const { listener, port, rows, spans } = await startListener()
  const busy = rawConnection(port)
  const bytes = requestBytes(dlr('m2'))
  busy.write(bytes.slice(0, -10))
  // Its answer comes after the first bytes of the other one were read.
  const idle = rawConnection(port)
  idle.write(requestBytes(body))
  await idle.answers()
  const stopped = listener.stop()
  busy.write(bytes.slice(-10))
  expect((await busy.answers())[0]!.status).toBe(200)
  await stopped
  // Stopping again is harmless.
  await listener.stop()
  await Promise.all([idle.closed, busy.closed])
  expect(rows()).toHaveLength(2)
  expect(spans()).toMatchObject([{ endReason: 'closed' }])
})
