import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { findMatch } from '#electron/listener/refusal-diagnosis.ts'
import type { RefusalSample } from '#electron/listener/protocol.ts'
import { createSignatureChecker, type SigningKey } from '#electron/listener/signature.ts'
import { createFakeClock } from '../../helpers/fake-clock.ts'
import { dlr, startListener, testSecret } from '../../helpers/listener.ts'
import { sign } from '../../helpers/signed-delivery.ts'

const sent = dlr('m1')
const sample: RefusalSample = {
  id: 'a',
  atMs: 0,
  status: 401,
  reason: 'signature-mismatch',
  remote: '127.0.0.1',
  method: 'POST',
  path: '/webhooks',
  sizeBytes: null,
}
const parsed = JSON.parse(sent) as Record<string, unknown>

/** Bodies as they arrive when `sent` was signed and then changed on the way. */
const changed: [name: string, arrived: string, found: string][] = [
  ['pretty-printed', JSON.stringify(parsed, null, 2), 'other-json'],
  ['written with spaces', JSON.stringify(parsed, null, 1), 'other-json'],
  ['escaped', sent.replace('delivered', '\\u0064elivered'), 'other-json'],
  ['with a byte order mark', `\ufeff${sent}`, 'without-byte-order-mark'],
  ['with a line break', `${sent}\n`, 'without-blanks-around'],
  ['with spaces around', `  ${sent} `, 'without-blanks-around'],
]

describe('a refused delivery', () => {
  it.each(changed)('%s is recognised as re-encoded', async (_, arrived, found) => {
    const { post, listener } = await startListener()
    expect(await post(arrived, { 'x-webhook-signature': sign(sent, testSecret) })).toMatchObject({
      status: 401,
    })
    const detail = listener.refusal(listener.refusals()[0]!.id)!
    expect(detail.match).toEqual({
      secretId: 'first',
      received: 'as-is',
      secret: 'as-is',
      body: found,
      retiredAtMs: null,
    })
  })

  it('signed pretty-printed and received compact, sorted or unescaped is recognised', async () => {
    const { post, listener } = await startListener()
    const umlaut = '{"b":"Zürich/Köln","a":1}'
    const signed: [string, string][] = [
      [JSON.stringify(parsed, null, 2), sent],
      [JSON.stringify(parsed, null, 4), sent],
      ['{"b": "Z\\u00fcrich/K\\u00f6ln", "a": 1}', umlaut],
      ['{"b":"Zürich\\/Köln","a":1}', umlaut],
      ['{"a":1,"b":"Zürich/Köln"}', umlaut],
      ['{"a":1}\r\n', '{"a":1}\n'],
    ]
    for (const [before, arrived] of signed) {
      await post(arrived, { 'x-webhook-signature': sign(before, testSecret) })
      const { match } = listener.refusal(listener.refusals()[0]!.id)!
      expect(match, before).toMatchObject({ secretId: 'first', body: expect.stringMatching(/^other-/) })
    }
  })

  it('with a differently written signature is recognised', async () => {
    const { post, listener } = await startListener()
    const good = sign(sent, testSecret)
    const base64 = createHmac('sha256', testSecret).update(sent).digest('base64')
    const written: [string, string][] = [
      [good.toUpperCase(), 'upper-case'],
      [`sha256=${good}`, 'decorated'],
      [`"${good}"`, 'decorated'],
      [base64, 'base64'],
    ]
    for (const [received, found] of written) {
      expect(await post(sent, { 'x-webhook-signature': received })).toMatchObject({ status: 401 })
      expect(listener.refusal(listener.refusals()[0]!.id)).toMatchObject({
        receivedSignature: received,
        match: { received: found, secret: 'as-is', body: 'as-is' },
      })
    }
  })

  it('made with a misused secret is recognised', async () => {
    const hex = '00112233445566778899aabbccddeeff'
    const { post, listener } = await startListener({
      secrets: [
        { id: 'hex', label: 'Hex', value: hex },
        { id: 'blank', label: 'Blank', value: 'secret with spaces ' },
      ],
    })
    const made: [secret: string | Buffer, id: string, form: string][] = [
      [Buffer.from(hex, 'hex'), 'hex', 'hex-decoded'],
      [Buffer.from(hex, 'base64'), 'hex', 'base64-decoded'],
      [`${hex}\n`, 'hex', 'with-line-end'],
      ['secret with spaces', 'blank', 'without-blanks'],
    ]
    for (const [secret, secretId, form] of made) {
      const signature = createHmac('sha256', secret).update(sent).digest('hex')
      await post(sent, { 'x-webhook-signature': signature })
      const { match } = listener.refusal(listener.refusals()[0]!.id)!
      expect(match).toMatchObject({ secretId, secret: form, body: 'as-is' })
    }
  })

  it('made with a retired or newly added secret is distinguished from a forged one', async () => {
    const clock = createFakeClock()
    const { post, listener } = await startListener({}, clock)
    const retireAtMs = clock.now() + 1_000
    const old = { id: 'first', label: 'First', value: testSecret, retireAtMs }
    listener.setSecrets([old, { id: 'new', label: 'New', value: 'new secret' }])
    await clock.advance(1_000)
    const last = () => listener.refusal(listener.refusals()[0]!.id)!
    await post(sent, { 'x-webhook-signature': sign(sent, testSecret) })
    expect(last().match).toMatchObject({ secretId: 'first', body: 'as-is', retiredAtMs: retireAtMs })
    expect(last().computed.map(({ secretId, retiredAtMs }) => [secretId, retiredAtMs])).toEqual([
      ['first', retireAtMs],
      ['new', null],
    ])
    await post(sent, { 'x-webhook-signature': sign(sent, 'newest secret') })
    expect(last().match).toBeNull()
    listener.setSecrets([old, { id: 'newest', label: 'Newest', value: 'newest secret' }])
    expect(last().match).toEqual({
      secretId: 'newest',
      received: 'as-is',
      secret: 'as-is',
      body: 'as-is',
      retiredAtMs: null,
    })
  })

  it('shows traces of a change on the way', async () => {
    const { post, listener } = await startListener()
    const forged = { 'x-webhook-signature': '0'.repeat(64) }
    const hints = async (text: string, headers: Record<string, string> = {}) => {
      await post(text, { 'content-type': 'application/json', ...forged, ...headers })
      return listener.refusal(listener.refusals()[0]!.id)!.hints
    }
    expect(await hints('{"a":1}')).toEqual([])
    expect(await hints('{"a": 1}', { via: '1.1 gateway', 'content-type': 'text/plain' })).toEqual([
      'proxied',
      'not-json-type',
      'not-compact',
    ])
    expect(await hints('event=dlr', { 'content-encoding': 'gzip' })).toEqual(['compressed', 'not-json'])
    expect(await hints('')).toEqual(['empty'])
  })

  it('of any shape costs a bounded number of hashes', () => {
    const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    const bodies = {
      deep: deep(500),
      deepest: deep(30_000),
      flat: `[${'1,'.repeat(8_000)}1]`,
      broken: '{"a":'.repeat(2_000),
      escaped: '"'.repeat(16_000),
      large: 'x'.repeat(60_000),
    }
    const [real] = createSignatureChecker([{ id: 'first', label: 'First', value: testSecret }]).keys
    const costs = Object.entries(bodies).map(([name, body]) => {
      const sizes: number[] = []
      const key: SigningKey = {
        ...real!,
        sign: (bytes, secret) => (sizes.push(bytes.length), real!.sign(bytes, secret)),
      }
      const refusal = { body: Buffer.from(body), headers: [], receivedSignature: '0'.repeat(64) }
      expect(findMatch({ ...refusal, sample }, [key], 0)).toBeNull()
      return [name, { hashes: sizes.length, longest: Math.max(...sizes) }] as const
    })
    for (const [name, { hashes, longest }] of costs) {
      expect(hashes, name).toBeLessThanOrEqual(50)
      expect(longest, name).toBeLessThanOrEqual(64 * 1024)
    }
    // Deeply nested or long values are not rewritten at all.
    const few = Object.fromEntries(costs)
    for (const name of ['deep', 'deepest', 'broken', 'large'])
      expect(few[name]!.hashes, name).toBeLessThanOrEqual(9)
    expect(few['flat']!.hashes).toBeGreaterThan(9)
  })
})
