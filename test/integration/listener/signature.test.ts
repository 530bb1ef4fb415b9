import { createHash, createHmac } from 'node:crypto'
import Sqlite from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createFakeClock } from '../../helpers/fake-clock.ts'
import { dlr, requestBytes, sign, startListener, testSecret } from '../../helpers/listener.ts'
import { rawRequest } from '../../helpers/raw-http.ts'

const body = dlr('m1')
const good = sign(body)
const parsed = JSON.parse(body) as Record<string, unknown>

const hmac = (algorithm: string, key: string | Buffer, text: string) =>
  createHmac(algorithm, key).update(text)
const hash = (text: string) => createHash('sha256').update(text).digest('hex')

/** Header values that are not the signature of `body`. */
const wrongSignatures: Record<string, string> = {
  empty: '',
  'upper case': good.toUpperCase(),
  'one digit short': good.slice(1),
  'one digit long': `${good}0`,
  'with prefix sha256=': `sha256=${good}`,
  'with blanks inside': `${good.slice(0, 32)} ${good.slice(32)}`,
  'in quotes': `"${good}"`,
  'two by comma': `${good}, ${good}`,
  'in base64': hmac('sha256', testSecret, body).digest('base64'),
  zeros: '0'.repeat(64),
  'with another end': good.slice(0, -1) + (good.endsWith('0') ? '1' : '0'),
  'of SHA-1': hmac('sha1', testSecret, body).digest('hex'),
  'of SHA-512, cut': hmac('sha512', testSecret, body).digest('hex').slice(0, 64),
  'a plain hash of the body': hash(body),
  'a plain hash of secret and body': hash(testSecret + body),
  'key and message swapped': hmac('sha256', body, testSecret).digest('hex'),
  'of the secret': sign(testSecret),
  'with an empty key': sign(body, ''),
  'with the secret and a line end': sign(body, `${testSecret}\n`),
  'with the secret in hexadecimal': sign(body, Buffer.from(testSecret).toString('hex')),
  'with another secret': sign(body, 'another'),
  'with the label': sign(body, 'First'),
  'with a timestamp in front': sign(`1700000000.${body}`),
}

/** Bodies with the same or nearly the same content, sent with the signature of `body`. */
const wrongBodies: Record<string, string> = {
  'pretty-printed': JSON.stringify(parsed, null, 2),
  'keys in another order': JSON.stringify(Object.fromEntries(Object.entries(parsed).reverse())),
  'a byte order mark': `\ufeff${body}`,
  CRLF: body.replaceAll(',', ',\r\n'),
  'unicode escapes': body.replace('delivered', '\\u0064elivered'),
  'a doubled key': body.replace('{', '{"status":"failed",'),
  'an empty body': '',
  'a NUL at the end': `${body}\0`,
}

describe('forged deliveries', () => {
  it('are all refused and counted', async () => {
    const { port, rows, listener } = await startListener()
    const forged = [
      ...Object.entries(wrongSignatures).map(([name, signature]) => ({
        name: `signature ${name}`,
        bytes: requestBytes(body, { 'X-Webhook-Signature': signature }),
      })),
      ...Object.entries(wrongBodies).map(([name, other]) => ({
        name: `body ${name}`,
        bytes: requestBytes(other, { 'X-Webhook-Signature': good }),
      })),
      { name: 'no signature', bytes: requestBytes(body, {}) },
      ...[
        [good, good],
        ['0'.repeat(64), good],
        [good, '0'.repeat(64)],
      ].map(([first, last]) => ({
        name: `the header twice: ${first}, ${last}`,
        bytes: requestBytes(body, { 'X-Webhook-Signature': first!, 'x-webhook-signature': last! }),
      })),
      ...'X-Webhook-Signature-256 X-Signature X-Hub-Signature-256 Webhook-Signature Signature Authorization X_Webhook_Signature'
        .split(' ')
        .map((header) => ({ name: `signature in ${header}`, bytes: requestBytes(body, { [header]: good }) })),
      {
        name: 'signature in the path',
        bytes: requestBytes(body, {}).replace('/webhooks', `/webhooks?X-Webhook-Signature=${good}`),
      },
      {
        name: 'signature in a trailer',
        bytes: `POST /webhooks HTTP/1.1\r\nHost: a\r\nTrailer: X-Webhook-Signature\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\nX-Webhook-Signature: ${good}\r\n\r\n`,
      },
    ]
    expect(forged.length).toBeGreaterThanOrEqual(40)
    const passed: string[] = []
    for (const { name, bytes } of forged) {
      const [answer] = await rawRequest(port, bytes)
      if (answer?.status !== 401 && answer?.status !== 404) passed.push(`${name}: ${answer?.status}`)
    }
    expect(passed).toEqual([])
    expect(rows()).toEqual([])
    expect(listener.stats()).toMatchObject({ accepted: 0, refusedTotal: forged.length })
    expect((await rawRequest(port, requestBytes(body)))[0]!.status).toBe(200)
  })

  it('are shown with received and expected signatures, without credentials', async () => {
    const { post, listener } = await startListener()
    await post(body, {
      'x-webhook-signature': '0'.repeat(64),
      authorization: 'Bearer abc',
      cookie: 'a=b',
      'x-api-key': 'k',
      'x-attempt': '3',
    })
    const [sample] = listener.refusals()
    const detail = listener.refusal(sample!.id)
    expect(detail).toMatchObject({
      status: 401,
      reason: 'signature-mismatch',
      method: 'POST',
      path: '/webhooks',
      remote: '127.0.0.1',
      sizeBytes: body.length,
      receivedSignature: '0'.repeat(12),
      computed: [{ secretId: 'first', signatureStart: good.slice(0, 12), isSame: false, retiredAtMs: null }],
      match: null,
    })
    expect(Buffer.from(detail!.bodyHex!, 'hex').toString()).toBe(body)
    const names = detail!.headers.map(([name]) => name)
    expect(names).toContain('x-attempt')
    expect(names).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/signature|authorization|cookie|key/)]),
    )
    expect(JSON.stringify(detail)).not.toContain(testSecret)
    // It would let a reader forge the delivery.
    expect(JSON.stringify(detail)).not.toContain(good)
  })
})

describe('secrets', () => {
  it('accepts the old secret beside the new one until it retires', async () => {
    const clock = createFakeClock()
    const { post, listener, rows } = await startListener({}, clock)
    listener.setSecrets([
      { id: 'new', label: 'New', value: 'new secret' },
      { id: 'first', label: 'First', value: testSecret, retireAtMs: clock.now() + 60_000 },
    ])
    const withNew = { 'x-webhook-signature': sign(body, 'new secret') }
    expect(await post(body)).toMatchObject({ status: 200 })
    expect(await post(body, withNew)).toMatchObject({ status: 200 })
    await clock.advance(60_000)
    expect(await post(body)).toMatchObject({ status: 401 })
    expect(await post(body, withNew)).toMatchObject({ status: 200 })
    expect(rows().map((row) => row.secretId)).toEqual(['first', 'new', 'new'])
  })

  it('records no listening time while none is usable', async () => {
    const clock = createFakeClock()
    const startMs = clock.now()
    const { listener, spans } = await startListener({ secrets: [] }, clock)
    await clock.advance(60_000)
    expect(spans()).toEqual([])
    listener.setSecrets([
      { id: 'first', label: 'First', value: testSecret, retireAtMs: clock.now() + 60_000 },
    ])
    await clock.advance(120_000)
    expect(spans()).toMatchObject([
      { startedMs: startMs + 60_000, endedMs: startMs + 120_000, endReason: 'no-secret' },
    ])
  })

  it('records that a later start had none, so that the gap gets its true cause', async () => {
    const clock = createFakeClock()
    const { listener, journalFile, spans } = await startListener({}, clock)
    const startMs = clock.now()
    await clock.advance(60_000)
    const place = { host: '127.0.0.1', port: 0, path: '/webhooks', allowUnsigned: false }
    await listener.start({ ...place, journalFile, secrets: [] })
    await clock.advance(60_000)
    const atMs = startMs + 60_000
    expect(spans()).toMatchObject([
      { startedMs: startMs, endedMs: atMs, endReason: 'closed' },
      { startedMs: atMs, endedMs: atMs, endReason: 'no-secret' },
    ])
  })

  it('takes a new secret while the journal can’t be written, and records the listening time later', async () => {
    const clock = createFakeClock()
    const startMs = clock.now()
    const { listener, post, spans, journalFile } = await startListener({ secrets: [] }, clock)
    const first = { id: 'first', label: 'First', value: testSecret }
    const other = new Sqlite(journalFile)
    onTestFinished(() => void other.close())
    const whileLocked = (work: () => void) => {
      other.exec('BEGIN IMMEDIATE')
      work()
      other.exec('ROLLBACK')
    }
    await clock.advance(1_000)
    whileLocked(() => listener.setSecrets([first]))
    expect(await post(body)).toMatchObject({ status: 200 })
    await clock.advance(60_000)
    whileLocked(() => listener.setSecrets([]))
    await clock.advance(60_000)
    expect(spans()).toMatchObject([
      { startedMs: startMs + 1_000, endedMs: startMs + 61_000, endReason: 'no-secret' },
    ])
  })

  it('refuses everything without a secret and says why', async () => {
    const { post, listener } = await startListener({ secrets: [] })
    expect(await post(body)).toMatchObject({
      status: 401,
      text: expect.stringContaining('No webhook secret'),
    })
    expect(listener.stats().refused).toEqual({ 'no-secret': 1 })
  })

  it('stores unsigned deliveries where allowed, but refuses a wrong signature', async () => {
    const { post, listener, rows } = await startListener({ allowUnsigned: true })
    expect(await post(body, {})).toMatchObject({ status: 200 })
    expect(await post(body)).toMatchObject({ status: 200 })
    expect(await post(body, { 'x-webhook-signature': '0'.repeat(64) })).toMatchObject({ status: 401 })
    expect(await post(body, { 'x-webhook-signature': '' })).toMatchObject({ status: 401 })
    expect(rows().map((row) => [row.verdict, row.secretId])).toEqual([
      ['unsigned', null],
      ['signed', 'first'],
    ])
    expect(listener.stats()).toMatchObject({ accepted: 2, unsigned: 1 })
  })

  it('ignores an uncheckable signature where unsigned is allowed', async () => {
    const { post, rows } = await startListener({ secrets: [], allowUnsigned: true })
    expect(await post(body)).toMatchObject({ status: 200 })
    expect(rows()[0]).toMatchObject({ verdict: 'unsigned', secretId: null })
  })
})
