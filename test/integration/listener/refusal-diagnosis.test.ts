import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createFakeClock } from '../../helpers/fake-clock.ts'
import { dlr, startListener, testSecret } from '../../helpers/listener.ts'
import { sign } from '../../helpers/signed-delivery.ts'

const sent = dlr('m1')
describe('a refused delivery', () => {
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
        match: { received: found, secret: 'as-is' },
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
      ['secret with spaces', 'blank', 'without-blanks'],
    ]
    for (const [secret, secretId, form] of made) {
      const signature = createHmac('sha256', secret).update(sent).digest('hex')
      await post(sent, { 'x-webhook-signature': signature })
      const { match } = listener.refusal(listener.refusals()[0]!.id)!
      expect(match).toMatchObject({ secretId, secret: form })
    }
  })

  it('made with a retired secret is distinguished from a forged one, and is stored once its secret is added', async () => {
    const clock = createFakeClock()
    const { post, listener, rows } = await startListener({}, clock)
    const retireAtMs = clock.now() + 1_000
    const old = { id: 'first', label: 'First', value: testSecret, retireAtMs }
    listener.setSecrets([old, { id: 'new', label: 'New', value: 'new secret' }])
    await clock.advance(1_000)
    const last = () => listener.refusal(listener.refusals()[0]!.id)!
    await post(sent, { 'x-webhook-signature': sign(sent, testSecret) })
    expect(last().match).toMatchObject({ secretId: 'first', retiredAtMs: retireAtMs })
    expect(last().computed.map(({ secretId, retiredAtMs }) => [secretId, retiredAtMs])).toEqual([
      ['first', retireAtMs],
      ['new', null],
    ])
    await post(sent, { 'x-webhook-signature': sign(sent, 'newest secret') })
    expect(last().match).toBeNull()
    listener.setSecrets([old, { id: 'wrong', label: 'Wrong', value: 'wrong secret' }])
    await post(dlr('m2'), { 'x-webhook-signature': sign(dlr('m2'), 'wrong secret') })
    expect(listener.stats()).toMatchObject({ accepted: 1, unproven: 2 })
    for (let n = 0; n < 2; n++)
      listener.setSecrets([old, { id: 'newest', label: 'Newest', value: 'newest secret' }])
    expect(rows()[1]).toMatchObject({ verdict: 'signed', secretId: 'newest', body: Buffer.from(sent) })
    expect(last().match).toMatchObject({ secretId: 'first' })
    // The other one has the same bytes, so nothing is missing.
    expect(listener.stats()).toMatchObject({ accepted: 1, unproven: 0, refusedTotal: 2 })
  })
})
