import { describe, expect, it } from 'vitest'
import { createFakeClock } from '../../helpers/fake-clock.ts'
import { dlr, requestBytes, sign, startListener } from '../../helpers/listener.ts'
import { rawConnection, rawRequest } from '../../helpers/raw-http.ts'

const body = dlr('m1')
/** A request in chunks, without its body. */
const chunkedHead = (signature: string) =>
  `POST /webhooks HTTP/1.1\r\nHost: a\r\nX-Webhook-Signature: ${signature}\r\nTransfer-Encoding: chunked\r\n\r\n`
/** A request of a few lines that no client sends. */
const oddHead = (...lines: string[]) =>
  `POST /webhooks HTTP/1.1\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`

describe('a signed delivery', () => {
  it('gets 200 after it is stored byte for byte, with headers but no credentials', async () => {
    const { post, rows, listener, grew } = await startListener()
    const odd = `{ "event":"dlr",\r\n\t"message_id":"ü\\u00fc"}`
    const answer = await post(odd, {
      'x-webhook-signature': sign(odd),
      'content-type': 'application/json',
      'user-agent': 'service/1',
      authorization: 'Bearer abc',
      'x-attempt': '2',
    })
    expect(answer).toEqual({ status: 200, text: '{"status":"stored"}' })
    const [row] = rows()
    expect(row).toMatchObject({ seq: 1, verdict: 'signed', secretId: 'first', remote: '127.0.0.1' })
    expect(row!.body.toString()).toBe(odd)
    const headers = Object.fromEntries(JSON.parse(row!.headersJson) as [string, string][])
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'service/1',
      'x-attempt': '2',
    })
    expect(Object.keys(headers)).not.toContain('authorization')
    expect(Object.keys(headers)).not.toContain('x-webhook-signature')
    expect(listener.stats()).toMatchObject({ accepted: 1, unsigned: 0, refusedTotal: 0 })
    expect(grew).toEqual([1])
  })

  it.each([
    ['no bytes', ''],
    ['no JSON', 'hello'],
    ['brackets 30,000 deep', '['.repeat(30_000)],
    ['bytes that are not text', Buffer.from([0, 255, 254, 10, 13])],
    ['exactly 64 KiB', 'x'.repeat(64 * 1024)],
  ])('of %s is stored unchanged', async (_name, odd) => {
    const { post, rows } = await startListener()
    expect(await post(odd as string, { 'x-webhook-signature': sign(odd) })).toMatchObject({ status: 200 })
    expect(rows()[0]!.body.equals(Buffer.from(odd as string))).toBe(true)
  })

  it('is reported to the core at once, and those that follow at most every 100 ms', async () => {
    const clock = createFakeClock()
    const { post, grew } = await startListener({}, clock)
    for (let n = 0; n < 5; n++) await post(dlr(`m${n}`))
    expect(grew).toEqual([1])
    await clock.advance(100)
    expect(grew).toEqual([1, 5])
  })

  it('is assembled from chunks and single bytes', async () => {
    const { port, rows } = await startListener()
    const connection = rawConnection(port)
    const chunks = [...body].map((char) => `1\r\n${char}\r\n`).join('')
    connection.write(chunkedHead(sign(body)))
    for (const part of [chunks.slice(0, 50), chunks.slice(50), '0\r\n\r\n']) {
      await new Promise((resolve) => setImmediate(resolve))
      connection.write(part)
    }
    expect((await connection.answers())[0]!.status).toBe(200)
    connection.destroy()
    expect(rows()[0]!.body.toString()).toBe(body)
  })

  it('gets its answer in order when pipelined with 49 others', async () => {
    const { port, rows } = await startListener()
    const bytes = Array.from({ length: 50 }, (_, index) => requestBytes(dlr(`m${index}`))).join('')
    const answers = await rawRequest(port, bytes, 50)
    expect(answers.map((answer) => answer.status)).toEqual(Array(50).fill(200))
    expect(
      rows().map((row) => (JSON.parse(row.body.toString()) as { message_id: string }).message_id),
    ).toEqual(Array.from({ length: 50 }, (_, index) => `m${index}`))
  })

  it('with Expect: 100-continue gets it', async () => {
    const { port } = await startListener()
    const connection = rawConnection(port)
    const [head, payload] = requestBytes(body, {
      'X-Webhook-Signature': sign(body),
      Expect: '100-continue',
    }).split('\r\n\r\n')
    connection.write(`${head}\r\n\r\n`)
    expect((await connection.answers())[0]!.status).toBe(100)
    connection.write(payload!)
    expect((await connection.answers(2))[1]!.status).toBe(200)
    connection.destroy()
  })
})

describe('refused requests', () => {
  it('answer 404 at other paths, 405 to other methods', async () => {
    const { port, rows, listener } = await startListener()
    const paths = ['/', '/WEBHOOKS', '/webhooks%20', '/other', '*']
    for (const path of paths) {
      const [answer] = await rawRequest(port, requestBytes(body).replace('/webhooks', path))
      expect(answer, path).toMatchObject({ status: 404, headers: { 'content-type': 'application/json' } })
      expect(JSON.parse(answer!.body)).toHaveProperty('error')
    }
    expect(listener.stats().refused).toEqual({ path: paths.length })
    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const [answer] = await rawRequest(port, requestBytes(body).replace('POST', method))
      expect(answer, method).toMatchObject({ status: 405, headers: { allow: 'POST' } })
    }
    expect(rows()).toEqual([])
  })

  it('answers a web page with 403, even where unsigned deliveries are allowed', async () => {
    const { port, rows } = await startListener({ allowUnsigned: true })
    for (const header of ['Origin', 'Sec-Fetch-Site']) {
      const [answer] = await rawRequest(port, requestBytes(body, { [header]: 'cross-site' }))
      expect(answer!.status).toBe(403)
    }
    expect(rows()).toEqual([])
  })

  it.each([
    ['', { 'Content-Length': '65537', 'X-Webhook-Signature': sign('') }],
    [', though it offers to wait', { 'Content-Length': '99999999', Expect: '100-continue' }],
  ])('answers an announced body over 64 KiB with 413 before reading it%s', async (_how, headers) => {
    const { port, listener } = await startListener()
    const connection = rawConnection(port)
    connection.write(requestBytes('', headers))
    const [answer] = await connection.answers()
    expect(answer).toMatchObject({ status: 413, headers: { connection: 'close' } })
    expect(listener.refusals()[0]).toMatchObject({ reason: 'too-large', sizeBytes: null })
    connection.destroy()
  })

  it('answers a 10 MB body with 413 that the sender can still read', async () => {
    const { rows, post } = await startListener()
    const big = Buffer.alloc(10 * 1024 * 1024, 'x')
    for (let attempt = 0; attempt < 2; attempt++)
      expect(await post(big, { 'x-webhook-signature': sign(big) })).toMatchObject({ status: 413 })
    expect(await post(body)).toMatchObject({ status: 200 })
    expect(rows()).toHaveLength(1)
  })

  it('answers a chunked body over 64 KiB with 413', async () => {
    const { port, rows } = await startListener()
    const connection = rawConnection(port)
    connection.write(chunkedHead(sign('')))
    for (let index = 0; index < 20; index++) connection.write(`2000\r\n${'x'.repeat(0x2000)}\r\n`)
    expect((await connection.answers())[0]!.status).toBe(413)
    connection.destroy()
    expect(rows()).toEqual([])
  })

  it('answers headers over 8 KiB with 431', async () => {
    const { port, listener } = await startListener()
    const [answer] = await rawRequest(port, requestBytes(body, { 'X-Long': 'x'.repeat(9_000) }))
    expect(answer!.status).toBe(431)
    expect(listener.stats().refused).toEqual({ 'headers-too-large': 1 })
  })

  it.each([
    ['no HTTP', 'hello\r\n\r\n'],
    ['two lengths', `${oddHead('Host: a', 'Content-Length: 1', 'Content-Length: 2')}x`],
    [
      'a length and chunks',
      `${oddHead('Host: a', 'Content-Length: 1', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
    ],
    ['no Host', oddHead('Content-Length: 0')],
  ])('%s is 400', async (_name, bytes) => {
    const { port, rows, post } = await startListener()
    expect((await rawRequest(port, bytes))[0]!.status).toBe(400)
    expect(rows()).toEqual([])
    expect(await post(body)).toMatchObject({ status: 200 })
  })

  it('answers a request with neither length nor chunks with 411', async () => {
    const { port } = await startListener()
    const [answer] = await rawRequest(port, oddHead('Host: a'))
    expect(answer!.status).toBe(411)
  })
})

it('listens on loopback only', async () => {
  const { started } = await startListener()
  expect(started).toMatchObject({ kind: 'listening', address: '127.0.0.1', path: '/webhooks' })
})
