import { describe, expect, it } from 'vitest'
import { defaultLimits } from '#electron/listener/protocol.ts'
import { dlr, requestBytes, sign, startListener } from '../../helpers/listener.ts'
import { rawConnection, type RawConnection } from '../../helpers/raw-http.ts'

/** The real limits are 4 s; Node measures them with its own timers, so the test makes them short instead of the clock. */
const requestTimeoutMs = 400

const head = requestBytes(dlr('slow')).split('\r\n\r\n')[0]!

/** Ways to hold a connection without ever sending a whole request. Each gets one step per tick. */
const slowSenders: Record<string, (connection: RawConnection) => () => void> = {
  'says nothing': () => () => {},
  'sends its headers letter by letter': (connection) => {
    let at = 0
    return () => connection.write(head[at++ % head.length]!)
  },
  'sends headers without end': (connection) => {
    connection.write('POST /webhooks HTTP/1.1\r\nHost: a\r\n')
    return () => connection.write('X-A: b\r\n')
  },
  'sends its body letter by letter': (connection) => {
    connection.write(`POST /webhooks HTTP/1.1\r\nHost: a\r\nContent-Length: 5000\r\n\r\n`)
    return () => connection.write('x')
  },
  'sends chunks without end': (connection) => {
    connection.write(`POST /webhooks HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`)
    return () => connection.write('1\r\nx\r\n')
  },
}

describe('senders that hold connections', () => {
  it('cuts 200 slow senders of five kinds while answering valid deliveries', async () => {
    const { port, post, rows, listener } = await startListener({ limits: { requestTimeoutMs } })
    const kinds = Object.values(slowSenders)
    const connections = Array.from({ length: 200 }, (_, index) => {
      const connection = rawConnection(port)
      return { connection, step: kinds[index % kinds.length]!(connection) }
    })
    let cut = 0
    const allCut = Promise.all(connections.map(({ connection }) => connection.closed.then(() => cut++)))
    const drip = setInterval(() => connections.forEach(({ step }) => step()), 20)
    let honest = 0
    while (cut < connections.length) {
      expect(await post(dlr(`m${honest++}`))).toMatchObject({ status: 200 })
    }
    clearInterval(drip)
    await allCut
    expect(rows()).toHaveLength(honest)
    expect(honest).toBeGreaterThan(0)
    expect(listener.stats().refused['timeout']).toBeGreaterThan(150)
    const answered = connections.flatMap(
      ({ connection }) => connection.received().toString().slice(9, 12) || [],
    )
    expect(new Set(answered)).toEqual(new Set(['408']))
  })

  it('closes an unused connection without an answer or a refusal', async () => {
    const { port, listener } = await startListener({ limits: { requestTimeoutMs } })
    const unused = rawConnection(port)
    await unused.closed
    expect(unused.received()).toHaveLength(0)
    expect(listener.stats().refusedTotal).toBe(0)
  })

  it('keeps every timeout below the service’s 5 s', () => {
    expect(defaultLimits.requestTimeoutMs).toBeLessThan(5_000)
    expect(defaultLimits.storeDeadlineMs + 1_000).toBeLessThan(5_000)
  })

  it('acknowledges every valid delivery while half-open requests take every connection', async () => {
    const { port, post, rows } = await startListener({ limits: { maxConnections: 64 } })
    const open = new Set<RawConnection>()
    let closed = 0
    const attack = () => {
      const connection = rawConnection(port)
      open.add(connection)
      connection.write('POST /webhooks HTTP/1.1\r\nHost: a\r\nContent-Length: 5000\r\n\r\nx')
      void connection.closed.then(() => open.delete(connection) && closed++)
    }
    for (let index = 0; index < 80; index++) attack()
    for (let index = 0; index < 20; index++) {
      expect((await post(dlr(`m${index}`))).status).toBe(200)
      // Everyone cut since then connects again.
      for (; closed > 0; closed--) attack()
    }
    for (const connection of open) connection.destroy()
    expect(rows()).toHaveLength(20)
  })

  it('serves others while one pipelines thousands of requests', async () => {
    const { port, post, rows } = await startListener()
    const greedy = rawConnection(port)
    greedy.write(Array.from({ length: 1_000 }, (_, index) => requestBytes(dlr(`g${index}`))).join(''))
    expect(await post(dlr('honest'))).toMatchObject({ status: 200 })
    expect(await greedy.answers(1_000)).toHaveLength(1_000)
    greedy.destroy()
    expect(rows()).toHaveLength(1_001)
  })

  it('stores nothing of a body that was cut off', async () => {
    const { port, rows, listener, post } = await startListener()
    for (let index = 0; index < 20; index++) {
      const connection = rawConnection(port)
      connection.write(requestBytes(dlr('m')).slice(0, -5))
      await new Promise((resolve) => setImmediate(resolve))
      connection.destroy()
      await connection.closed
    }
    expect(await post(dlr('m'))).toMatchObject({ status: 200 })
    expect(rows()).toHaveLength(1)
    expect(listener.stats().notStored).toBe(0)
  })

  it('stores a delivery whose sender left before the answer', async () => {
    const { port, rows, post } = await startListener()
    const connection = rawConnection(port)
    connection.write(
      requestBytes(dlr('gone'), { 'X-Webhook-Signature': sign(dlr('gone')), Connection: 'close' }),
    )
    connection.end()
    await connection.closed
    expect(await post(dlr('next'))).toMatchObject({ status: 200 })
    expect(rows()).toHaveLength(2)
  })
})
