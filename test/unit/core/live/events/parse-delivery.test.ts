import { englishText } from '#electron/contract/phrases.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isSame, keyOf } from '#electron/core/live/events/event-key.ts'
import { parseDelivery } from '#electron/core/live/events/parse-delivery.ts'
import { bytesOf, dlr, mo } from '../../../../integration/core/live/events/events-fixture.ts'
import { oddBodies } from '../../../../integration/core/live/events/odd-bodies.ts'

const parse = (body: object | string) => parseDelivery(bytesOf(body))

describe('a delivery that is neither report nor inbound message', () => {
  it.each(oddBodies)('is quarantined with its reason: %s', (_name, body, reason) => {
    const parsed = parseDelivery(body)
    expect(parsed.kind).toBe('quarantined')
    const text = englishText(parsed.reason!)
    expect(text).toMatch(reason)
    expect(text.length).toBeLessThan(200)
  })

  it('isn’t one whose ID or status ends with a line break', () => {
    expect(parse({ event: 'dlr', message_id: 'm-1\n', status: '\tfailed\r\n' })).toMatchObject({
      kind: 'dlr',
      messageId: 'm-1',
      status: 'failed',
    })
  })

  it.each<[object, string | null, string | null]>([
    [{ event: 'contact.unsubscribed', phone: '+14155550100' }, '+14155550100', 'contact.unsubscribed'],
    [{ event: 'opt-out', msisdn: 14155550100, text: 'Baja' }, '14155550100', 'Baja'],
    [{ event: 'opted_out', to: '+2', from: '+1' }, '+1 / +2', 'opted_out'],
    [
      { event: 'unsubscribed', source: '+14155550100', data: { source: 'web' } },
      '+14155550100',
      'unsubscribed',
    ],
    [
      { type: 'unsubscribed', source: '/v2', data: { source: '+14155550100' } },
      '+14155550100',
      'unsubscribed',
    ],
    [{ event: 'dlr', message_id: 'm', destination: '+1', status: 'opted_out' }, '+1', null],
    [{ event: 'contact.unsubscribed', message_id: 'm' }, null, null],
    [
      { event: 'dlr', message_id: 'm', destination: '+1', status: 'failed', error_code: 'opted_out' },
      '+1',
      null,
    ],
  ])('is an opt-out of its number: %j', (body, number, content) => {
    expect(parse(body)).toMatchObject({ isOptOut: true, number, content })
  })

  it('keeps a usable message ID', () => {
    expect(parse({ event: 'campaign.paused', message_id: 'm-2' }).messageId).toBe('m-2')
    expect(parse({ event: 'campaign.paused', message_id: {} }).messageId).toBeNull()
  })

  it('never throws, for any bytes', () => {
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 300 }), fc.json().map(bytesOf)), (body) => {
        expect(['dlr', 'mo', 'quarantined']).toContain(parseDelivery(body).kind)
      }),
      { numRuns: 500 },
    )
  })

  it('never throws, for any values in the spec’s fields', () => {
    const fields = 'message_id status error_code destination delivered_at source content received_at'.split(
      ' ',
    )
    const odd = fc.record(
      Object.fromEntries([
        ['event', fc.constantFrom('dlr', 'mo', 'message.failed')],
        ...fields.map((field) => [field, fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' }))]),
      ]) as Record<string, fc.Arbitrary<unknown>>,
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(odd, (body) => {
        const parsed = parse(body as object)
        if (parsed.kind !== 'quarantined') expect(parsed.messageId.length).toBeGreaterThan(0)
      }),
      { numRuns: 500 },
    )
  })
})

describe('a delivery report', () => {
  it('is read as the spec writes it', () => {
    expect(parse(dlr('m', 'failed', { error_code: 2 }))).toEqual({
      kind: 'dlr',
      messageId: 'm',
      status: 'failed',
      errorCode: 2,
      number: '+15550001111',
      ownNumber: null,
      content: null,
      serviceTime: '2026-01-05T09:00:00.000Z',
      isOptOut: false,
      reason: null,
    })
  })

  it.each([
    ['null', null, null],
    ['absent', undefined, null],
    ['0', 0, null],
    ['the text 0', '0', null],
    ['a numeric text', '3', 3],
    ['negative', -1, -1],
    ['a text with leading zeros', '004', 4],
    ['an empty text', '', null],
    ['words', 'E4', null],
    ['a fraction', 1.5, null],
    ['an object', {}, null],
    ['beyond exact integers', 2 ** 53, null],
  ])('accepts an error code that is %s', (_name, code, expected) => {
    expect(parse(dlr('m', 'failed', { error_code: code }))).toMatchObject({
      kind: 'dlr',
      errorCode: expected,
    })
  })

  it.each<[string, object | string, object]>([
    [
      'with nothing but its identifying fields',
      { event: 'dlr', message_id: 'm', status: 'delivered' },
      { number: null, serviceTime: null },
    ],
    ['without an error code when delivered', dlr('m', 'delivered', { error_code: 3 }), { errorCode: null }],
    ['without an error code when submitted', dlr('m', 'submitted', { error_code: 3 }), { errorCode: null }],
    ['after a byte order mark', `\ufeff${JSON.stringify(dlr('m', 'delivered'))}`, {}],
    [
      'with its words in any case',
      { ...dlr('m', 'DELIVERED', { error_code: 3 }), event: ' DLR ' },
      { status: 'delivered', errorCode: null },
    ],
    [
      'with numbers for texts',
      dlr('m', 'failed', { message_id: 12, destination: 15550001111 }),
      { messageId: '12', number: '15550001111' },
    ],
    [
      'with an id beyond 2^53, digit for digit',
      '{"event":"dlr","message_id": 9007199254740993,"status":"failed","note":"id: 9007199254740993, \\"1\\"","x":0.12345678901234567}',
      { messageId: '9007199254740993' },
    ],
    ['with an odd recipient', dlr('m', 'failed', { destination: {} }), { number: null }],
    ['with an unknown status', dlr('m', 'Buffered at SMSC'), { status: 'Buffered at SMSC' }],
    [
      'with a further field, however deep',
      JSON.stringify(dlr('m', 'delivered')).replace('{', `{"x":${'['.repeat(20_000)}${']'.repeat(20_000)},`),
      {},
    ],
    ['by its dotted name', { event: 'message.delivered', message_id: 'm' }, { status: 'delivered' }],
    ['by its dotted name in any case', { event: 'Message.Failed', message_id: 'm' }, { status: 'failed' }],
    [
      'by its dotted name with the same status',
      { event: 'message.expired', message_id: 'm', status: 'expired' },
      { status: 'expired' },
    ],
    [
      'by its dotted name with another status, which counts',
      { event: 'message.delivered', message_id: 'm', status: 'failed' },
      { status: 'failed' },
    ],
  ])('is read %s', (_how, body, expected) => {
    expect(parse(body)).toMatchObject({ kind: 'dlr', ...expected })
  })

  it.each([
    ['without a zone', '2026-11-26T12:52:28', '2026-11-26T12:52:28.000Z'],
    ['with a space and no zone', '2026-11-26 12:52:28.5', '2026-11-26T12:52:28.500Z'],
    ['with a zone', '2026-11-26T12:52:28+02:00', '2026-11-26T10:52:28.000Z'],
    ['in milliseconds', 1_795_698_037_248, '2026-11-26T13:00:37.248Z'],
    ['in milliseconds as text', '1795698037248', '2026-11-26T13:00:37.248Z'],
    ['in seconds', 1_795_698_037, '2026-11-26T13:00:37.000Z'],
    ['0', 0, null],
    ['before 2000', '1970-01-01T00:00:00Z', null],
    ['of year 1', '0001-01-01T00:00:00Z', null],
    ['an object', { at: 1 }, null],
    ['as a carrier writes it', '2611261252', null],
    ['a day or a month first', '05/11/2026 09:30', null],
  ])('may have a time that is %s', (_name, time, serviceTime) => {
    expect(parse(dlr('m', 'delivered', { delivered_at: time }))).toMatchObject({ kind: 'dlr', serviceTime })
  })
})

describe('an inbound message', () => {
  it.each([
    ['in a list', (event: object) => [event]],
    ...['data', 'payload', 'message'].map(
      (name) =>
        [`in “${name}”`, ({ event, ...rest }: { event: string }) => ({ event, [name]: rest })] as const,
    ),
    [
      'in “data” beside its sender',
      ({ content, ...rest }: { content?: string }) => ({ ...rest, data: { content } }),
    ],
    [
      'in a CloudEvent',
      ({ event, ...rest }: { event: string }) => ({ type: event, source: '/sms', data: rest }),
    ],
    ['in “data” with its event', (event: object) => ({ id: 7, data: event })],
    [
      'in “data” beside its ID',
      ({ event, message_id, ...rest }: { event: string; message_id?: string }) => ({
        event,
        message_id,
        data: rest,
      }),
    ],
    [
      'in “message” beside the name of a program',
      ({ event, ...rest }: { event: string }) => ({ type: event, source: 'sms-gateway', message: rest }),
    ],
    ['in a list in “data”', ({ event, ...rest }: { event: string }) => ({ event, data: [rest] })],
    ...['message.received', 'Message_Inbound', 'inbound', 'incoming.sms', 'reply'].map(
      (name) => [`as “${name}”`, (event: object) => ({ ...event, event: name })] as const,
    ),
    ['with its sender in “from”', ({ source, ...rest }: { source?: string }) => ({ ...rest, from: source })],
    [
      'in “data” with a type of its own',
      ({ event, ...rest }: { event: string }) => ({ type: event, data: { ...rest, type: 'sms' } }),
    ],
    ['with its event in “type”', ({ event, ...rest }: { event: string }) => ({ ...rest, type: event })],
  ] as const)('is read %s', (_where, wrap) => {
    const event = mo('m-1', 'STOP') as { event: string }
    expect(parse(wrap(event))).toEqual(parse(event))
  })

  it('tells two texts without ID and time apart, and not the same delivery with its time', () => {
    const isSameAsBefore = (event: object) => {
      const body = bytesOf(event)
      const { messageId, number, content } = parseDelivery(body)
      const known = { kind: 'mo', message_id: messageId, status: null, number, content, body_hash: null }
      const parsed = parseDelivery(body)
      return isSame({ ...known, verdict: 'signed' }, parsed, keyOf(parsed, body), 'signed')
    }
    const text = { event: 'mo', source: '+491701234567', content: 'STOP' }
    expect(isSameAsBefore(text)).toBe(false)
    for (const time of ['', 0, '0001-01-01T00:00:00Z', '1970-01-01', '1/1/0001 12:00:00 AM', '00.00.0000'])
      expect(isSameAsBefore({ ...text, received_at: time }), String(time)).toBe(false)
    for (const time of ['2026-01-05T09:00:00Z', '2611261252', '05/11/2026 09:30', 1_795_698_037])
      expect(isSameAsBefore({ ...text, received_at: time }), String(time)).toBe(true)
  })

  it.each([undefined, null, '', { id: 1 }, 2.5])('is read with the ID %j', (messageId) => {
    const event = { ...mo('m', 'STOP'), message_id: messageId }
    const parsed = parse(event)
    expect(parsed).toMatchObject({ kind: 'mo', content: 'STOP', messageId: expect.stringMatching(/^no-id-/) })
    expect(parse(event).messageId).toBe(parsed.messageId)
    expect(parse({ ...event, content: 'Hi' }).messageId).not.toBe(parsed.messageId)
  })

  it('is read as the spec writes it', () => {
    expect(parse(mo('m', 'Grüße 👋'))).toEqual({
      kind: 'mo',
      messageId: 'm',
      status: null,
      errorCode: null,
      number: '+15550002222',
      ownNumber: '+15550009999',
      content: 'Grüße 👋',
      serviceTime: '2026-01-05T09:00:00.000Z',
      isOptOut: false,
      reason: null,
    })
  })

  it('shows a sign only for content that is too deep to be written', () => {
    const deep = `${'{"content":'.repeat(20_000)}1${'}'.repeat(20_000)}`
    const body = `{"event":"mo","message_id":"m","source":"+12015550123","content":${deep}}`
    expect(parse(body)).toMatchObject({ kind: 'mo', content: '{…}' })
  })

  it.each([
    [{}, ''],
    [{ content: null }, ''],
    [{ content: '' }, ''],
    [{ text: 'STOP' }, 'STOP'],
    [{ body: 'STOP' }, 'STOP'],
    [{ message: 'STOP' }, 'STOP'],
    [{ content: { text: 'STOP' } }, 'STOP'],
    [{ content: { type: 'text', text: { body: 'STOP' } } }, 'STOP'],
    [{ content: null, text: 'STOP' }, 'STOP'],
    [{ content: 'Hi', text: 'STOP' }, 'Hi'],
    [{ content: '', text: 'STOP' }, 'STOP'],
    [{ content: ' ', body: { text: 'STOP' } }, 'STOP'],
    [{ content: {}, text: 'STOP' }, 'STOP'],
    [{ content: { mime: 'a' }, text: 'STOP' }, 'STOP'],
    [{ content: {} }, ''],
    [{ content: 1 }, '1'],
    [{ content: ['STOP'] }, '["STOP"]'],
    [{ content: { type: 'image' } }, '{"type":"image"}'],
  ])('keeps its text where a service puts it elsewhere: %j', (more, content) => {
    expect(parse({ event: 'mo', message_id: 'm', source: '+15550002222', ...more })).toMatchObject({
      kind: 'mo',
      content,
    })
  })

  it.each([
    ['hostile', mo('m', '<img src=x onerror=alert(1)>'), '<img src=x onerror=alert(1)>'],
    ['broken', '{"event":"mo","message_id":"m","source":"+1","content":"a\\ud800b"}', 'a\ufffdb'],
    ['with NUL', mo('m', 'a\0b'), 'a\u2400b'],
    ['Latin-1', Buffer.from(JSON.stringify(mo('m', 'é STOP')), 'latin1'), '\ufffd STOP'],
  ])('may have a text that is %s', (_how, body, content) => {
    expect(parse(body).content).toBe(content)
  })
})
