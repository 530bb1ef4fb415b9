import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import Sqlite from 'better-sqlite3'
import { rmSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Clock } from '#electron/lib/clock.ts'
import { systemClock } from '#electron/lib/clock.ts'
import { createPorts } from '#electron/listener/ports.ts'
import { createFakeClock } from '../../helpers/fake-clock.ts'
import { dlr, type RunningListener, sign, startListener } from '../../helpers/listener.ts'
import { sendRaw } from '../../helpers/web-server.ts'

const secretOf = (name: string) => `the secret of ${name}`
const signedFor = (name: string, body: string) => ({ 'x-webhook-signature': sign(body, secretOf(name)) })

/** Listeners that share one port, by name; each has its own path, secret and journal. */
async function startTogether(names: readonly string[], clock: Clock = systemClock) {
  const ports = createPorts(clock)
  const start = (name: string, port = 0) =>
    startListener(
      {
        port,
        path: `/webhooks/${name}`,
        secrets: [{ id: name, label: name, value: secretOf(name) }],
      },
      clock,
      ports,
    )
  const all: RunningListener[] = []
  for (const name of names) all.push(await start(name))
  const [a, b] = all as [RunningListener, RunningListener]
  return { all, a, b, start }
}

describe('several connections at one port', () => {
  it('stores each delivery in the journal of its path, also with the same message ids', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
    const { all } = await startTogether(names)
    expect(new Set(all.map(({ port }) => port)).size).toBe(1)
    const bodies = Array.from({ length: 20 }, (_, index) => dlr(`m${index}`))
    const answers = await Promise.all(
      bodies.flatMap((body) => all.map((one, index) => one.post(body, signedFor(names[index]!, body)))),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    for (const [index, one] of all.entries()) {
      expect(
        one
          .rows()
          .map(({ body }) => body.toString())
          .toSorted(),
      ).toEqual(bodies.toSorted())
      expect(new Set(one.rows().map(({ secretId }) => secretId))).toEqual(new Set([names[index]]))
    }
  })

  it.each([
    '/webhooks/a?token=1',
    '/webhooks/a/',
    '//webhooks//a',
    '/webhooks/a/?x#y',
    'http://hooks.example.com/webhooks/a',
    'https://hooks.example.com:8443/webhooks/a?x',
  ])('takes a delivery to %s at /webhooks/a', async (path) => {
    const { all } = await startTogether(['a', 'b'])
    const body = dlr('m1')
    const headers = { 'content-length': Buffer.byteLength(body), ...signedFor('a', body) }
    const sent = request({ host: '127.0.0.1', port: all[0]!.port, method: 'POST', path, headers }).end(body)
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    answer.resume()
    expect(answer.statusCode).toBe(200)
    expect(all.map((one) => one.rows().length)).toEqual([1, 0])
  })

  it('takes no delivery at a path that only looks like one of a connection', async () => {
    const { all } = await startTogether(['a', 'ab'])
    const body = dlr('m1')
    const odd = String.raw`
      /webhooks/A /WEBHOOKS/a /webhooks/%61 /webhooks%2Fa /webhooks/a%2f /webhooks/a%00 /webhooks/a%20 /webhooks/a;b /webhooks/a.
      /webhooks/a.. /webhooks/a/b /webhooks/b/../a /webhooks/./a /./webhooks/a /x/../webhooks/a /webhooks/%2e/a
      /webhooks/a%2F..%2Fab /webhooks /webhooks/ / /?/webhooks/a /webhooks/?a /webhooks/aa /webhooks/abc /webhooks\a /webhooks/a\ 
      /webhooks/a, /webhooks/a&x=1 /webhooks/a%3Fx /webhooks/a%23 /a /ab webhooks/a http://webhooks/a //hooks.example.com
      /webhooks/%C3%A1`
      .trim()
      .split(/\s+/)
    for (const path of odd) {
      const raw = `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Webhook-Signature: ${sign(body, secretOf('a'))}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
      const { status } = await sendRaw(all[0]!.port, raw)
      expect([path, [400, 404].includes(status)]).toEqual([path, true])
    }
    expect(all.map((one) => one.rows().length)).toEqual([0, 0])
    expect((await all[0]!.post(body, signedFor('a', body))).status).toBe(200)
  })

  it('refuses the secret of another connection and counts it for the path alone', async () => {
    const { a, b } = await startTogether(['a', 'b'])
    const body = dlr('m1')
    expect(await a.post(body, signedFor('b', body))).toMatchObject({ status: 401 })
    expect([a.listener.stats().refusedTotal, b.listener.stats().refusedTotal]).toEqual([1, 0])
    expect(a.rows()).toEqual([])
  })

  it('answers 404 at an unknown path, and shows it to every connection of the port', async () => {
    const { all } = await startTogether(['a', 'b'])
    const { status } = await fetch(`http://127.0.0.1:${all[0]!.port}/webhooks/c`, {
      method: 'POST',
      body: dlr('m1'),
    })
    expect(status).toBe(404)
    expect(all.map(({ listener }) => listener.stats().refused)).toEqual([{ path: 1 }, { path: 1 }])
  })

  it('blames no other connection for deliveries to one that is closed, until its path changes', async () => {
    const { a, b, start } = await startTogether(['a', 'b'])
    const { port } = b
    const post = (path: string) =>
      fetch(`http://127.0.0.1:${port}/webhooks/${path}`, { method: 'POST', body: dlr('m1') })
    await a.listener.stop()
    const place = { host: '127.0.0.1', port, allowUnsigned: false }
    await start('c', port)
    await b.listener.reconfigure({ ...place, path: '/webhooks/b', otherPaths: ['/webhooks/saved'] })
    for (const closed of ['a', 'saved']) expect((await post(closed)).status).toBe(404)
    expect(b.listener.stats().refused).toEqual({})
    await b.listener.reconfigure({ ...place, path: '/webhooks/moved' })
    expect((await post('b')).status).toBe(404)
    expect(b.listener.stats().refused).toEqual({ path: 1 })
  })

  it('refuses a path that another connection has, and takes it once it is free', async () => {
    const { all, start } = await startTogether(['a', 'b'])
    const second = await start('a', all[0]!.port)
    expect(second.started).toMatchObject({ kind: 'refused', code: 'LISTENER_FAILED' })
    const place = { host: '127.0.0.1', port: all[0]!.port, path: '/webhooks/a', allowUnsigned: false }
    expect(await all[1]!.listener.reconfigure(place)).toMatchObject({ kind: 'refused' })
    await all[0]!.listener.stop()
    expect(await second.listener.reconfigure(place)).toMatchObject({ kind: 'listening' })
  })

  it('continues while another connection stops and starts', async () => {
    const { a, b, start } = await startTogether(['a', 'b'])
    const body = dlr('m1')
    await a.listener.stop()
    expect(await a.post(body, signedFor('a', body))).toMatchObject({ status: 404 })
    expect(await b.post(body, signedFor('b', body))).toMatchObject({ status: 200 })
    const again = await start('a', b.port)
    expect(again.port).toBe(b.port)
    expect(await again.post(body, signedFor('a', body))).toMatchObject({ status: 200 })
    expect(b.spans()).toHaveLength(1)
    await again.listener.stop()
    await b.listener.stop()
    await expect(b.post(body, signedFor('b', body))).rejects.toThrow()
  })

  it('answers for the others while one database is locked, however many deliveries wait for it', async () => {
    const clock = createFakeClock()
    const { a, b } = await startTogether(['a', 'b'], clock)
    const other = new Sqlite(a.journalFile)
    other.exec('BEGIN IMMEDIATE')
    const body = dlr('m1')
    const waiting = Array.from({ length: 300 }, () => a.post(body, signedFor('a', body)))
    await expect.poll(() => a.listener.stats().notStored).toBeGreaterThan(0)
    expect(await b.post(body, signedFor('b', body))).toMatchObject({ status: 200 })
    expect(b.listener.stats()).toMatchObject({ notStored: 0, storing: { kind: 'storing' } })
    other.exec('ROLLBACK')
    other.close()
    await clock.advance(100)
    const answers = (await Promise.all(waiting)).map(({ status }) => status)
    expect(new Set(answers)).toEqual(new Set([200, 503]))
    expect(a.rows()).toHaveLength(answers.filter((status) => status === 200).length)
  })

  it('notices within 5 s a journal that is gone, and turns away its deliveries, but no other’s', async () => {
    const clock = createFakeClock()
    const { a, b } = await startTogether(['a', 'b'], clock)
    rmSync(a.journalFile)
    await clock.advance(5_000)
    const body = dlr('m1')
    expect(await a.post(body, signedFor('a', body))).toMatchObject({ status: 503 })
    expect(await b.post(body, signedFor('b', body))).toMatchObject({ status: 200 })
    expect(a.states).toEqual([expect.objectContaining({ kind: 'not-storing', code: 'STORAGE_MISSING' })])
    expect(b.states).toEqual([])
  })

  it('moves to another address with the same port one after the other', async () => {
    const { all } = await startTogether(['a', 'b'])
    const { port } = all[0]!
    for (const [index, { listener }] of all.entries()) {
      const place = { host: '0.0.0.0', port, path: `/webhooks/${'ab'[index]}`, allowUnsigned: false }
      expect(await listener.reconfigure(place)).toMatchObject({ kind: 'listening', address: '0.0.0.0', port })
    }
    const body = dlr('m1')
    expect(await all[1]!.post(body, signedFor('b', body))).toMatchObject({ status: 200 })
  })
})

it('leaves a damaged journal to be repaired elsewhere, because that could delay the others', async () => {
  const { a, b, start } = await startTogether(['a', 'b'])
  const body = dlr('m1')
  await a.post(body, signedFor('a', body))
  await a.listener.stop()
  writeFileSync(a.journalFile, 'no database'.repeat(2_000))
  const config = {
    host: '127.0.0.1',
    port: b.port,
    path: '/webhooks/a',
    allowUnsigned: false,
    journalFile: a.journalFile,
    secrets: [{ id: 'a', label: 'a', value: secretOf('a') }],
    leaveDamaged: true,
  }
  expect(await a.listener.start(config)).toEqual({ kind: 'damaged' })
  const repairing = await start('c')
  expect(repairing.listener.repair(config)).toMatchObject({ asideFile: expect.any(String) as string })
  expect(await a.listener.start(config)).toMatchObject({ kind: 'listening', lastSeq: 1 })
  expect(await b.post(body, signedFor('b', body))).toMatchObject({ status: 200 })
})
