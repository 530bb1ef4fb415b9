import { createHash, createHmac } from 'node:crypto'
import Sqlite from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createSignatureChecker } from '#electron/listener/signature.ts'
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
  'one digit upper case': good.replace(/[a-f]/, (digit) => digit.toUpperCase()),
  'one digit short': good.slice(1),
  'one digit long': `${good}0`,
  'half of it': good.slice(0, 32),
  'twice in one': good + good,
  'with prefix sha256=': `sha256=${good}`,
  'with prefix v1,': `v1,${good}`,
  'with 0x': `0x${good}`,
  'with blanks inside': `${good.slice(0, 32)} ${good.slice(32)}`,
  'in quotes': `"${good}"`,
  'with a comma': `${good},`,
  'two by comma': `${good}, ${good}`,
  'two by comma, the second wrong': `${good}, ${'0'.repeat(64)}`,
  'in base64': hmac('sha256', testSecret, body).digest('base64'),
  zeros: '0'.repeat(64),
  'all f': 'f'.repeat(64),
  'not hexadecimal': 'g'.repeat(64),
  'letters O for zeros': good.replaceAll('0', 'O'),
  'last digit changed': good.slice(0, 63) + (good.endsWith('0') ? '1' : '0'),
  'first digit changed': (good.startsWith('0') ? '1' : '0') + good.slice(1),
  reversed: [...good].reverse().join(''),
  'bytes reversed': Buffer.from(good, 'hex').reverse().toString('hex'),
  'of SHA-1': hmac('sha1', testSecret, body).digest('hex'),
  'of SHA-512, cut': hmac('sha512', testSecret, body).digest('hex').slice(0, 64),
  'of SHA3-256': hmac('sha3-256', testSecret, body).digest('hex'),
  'of MD5, doubled': hmac('md5', testSecret, body).digest('hex').repeat(2),
  'a plain hash of the body': hash(body),
  'a plain hash of secret and body': hash(testSecret + body),
  'a plain hash of body and secret': hash(body + testSecret),
  'key and message swapped': hmac('sha256', body, testSecret).digest('hex'),
  'of the secret': sign(testSecret),
  'of an empty body': sign(''),
  'with an empty key': sign(body, ''),
  'with the secret in upper case': sign(body, testSecret.toUpperCase()),
  'with the secret and a line end': sign(body, `${testSecret}\n`),
  'with the secret cut': sign(body, testSecret.slice(0, -1)),
  'with the secret in hexadecimal': sign(body, Buffer.from(testSecret).toString('hex')),
  'with the secret in base64': sign(body, Buffer.from(testSecret).toString('base64')),
  'with another secret': sign(body, 'another'),
  'with the label': sign(body, 'First'),
  'with the id': sign(body, 'first'),
  'of another message': sign(dlr('m2')),
  'signed twice': sign(good),
  'with a timestamp in front': sign(`1700000000.${body}`),
  'URL-encoded': encodeURIComponent(`${good}\n`),
  'the word true': 'true',
  'the word null': 'null',
  'a JWT': 'eyJhbGciOiJub25lIn0.eyJhIjoxfQ.',
}

/** Bodies with the same or nearly the same content, sent with the signature of `body`. */
const wrongBodies: Record<string, string> = {
  'pretty-printed': JSON.stringify(parsed, null, 2),
  'keys in another order': JSON.stringify(Object.fromEntries(Object.entries(parsed).reverse())),
  'a blank at the end': `${body} `,
  'a line end at the end': `${body}\n`,
  'a blank at the start': ` ${body}`,
  'a byte order mark': `\ufeff${body}`,
  CRLF: body.replaceAll(',', ',\r\n'),
  'unicode escapes': body.replace('delivered', '\\u0064elivered'),
  'another status': dlr('m1', 'failed'),
  'another id': dlr('m3'),
  'a key more': body.replace('}', ',"x":1}'),
  'a doubled key': body.replace('{', '{"status":"failed",'),
  'an empty body': '',
  'cut by one byte': body.slice(0, -1),
  'a NUL at the end': `${body}\0`,
  'numbers as text': body.replace('null', '"null"'),
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
    expect(forged.length).toBeGreaterThanOrEqual(75)
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

describe('the checker', () => {
  const bytesOf = (count: number, start: number) =>
    Buffer.from(Array.from({ length: count }, (_item, index) => (start + index * 7) % 256))
  const secretOf = (length: number) => Array.from({ length }, (_item, index) => 'aß9€'[index % 4]).join('')

  // Around the 64-byte block, the 55 bytes after which padding needs another block, and the size of a usual body.
  it.each([1, 2, 27, 31, 32, 33, 63, 64, 65, 200])(
    'agrees with createHmac for a secret of %i characters and bodies of all lengths',
    (length) => {
      const value = secretOf(length)
      const checker = createSignatureChecker([
        { id: 'other', label: '', value: 'other' },
        { id: 'this', label: '', value },
      ])
      for (const size of [0, 1, 54, 55, 56, 63, 64, 65, 190, 4_031, 4_032, 4_033, 65_536, 100]) {
        const content = bytesOf(size, size)
        const signature = createHmac('sha256', value).update(content).digest('hex')
        expect(checker.check(content, signature, 0)).toEqual({ ok: true, secretId: 'this' })
        const longer = Buffer.concat([content, Buffer.of(0)])
        expect(checker.check(longer, signature, 0)).toEqual({ ok: false, reason: 'signature-mismatch' })
      }
    },
  )
})
