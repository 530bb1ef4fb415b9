import { expect, test } from 'vitest'
import { parseDelivery } from '#electron/core/live/events/parse-delivery.ts'
import { bytesOf } from '../../../../integration/core/live/events/events-fixture.ts'

const parse = (body: object | string) => parseDelivery(bytesOf(body))
const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString()
const multipart = (fields: Record<string, string>) =>
  `${Object.entries(fields)
    .map(([name, value]) => `--XyZ\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
    .join('')}--XyZ--\r\n`

const inbound = {
  ...{ event: 'mo', message_id: 'm-1', source: '+491701234567', destination: '+4930123456' },
  ...{ content: 'STOP', received_at: '2026-01-05T09:00:00Z' },
}
const said = JSON.stringify(inbound)

test.each([
  ['a web form', form(inbound)],
  ['a form in parts', multipart(inbound)],
  ['a form in parts after blank lines', `\r\n${multipart(inbound).replaceAll('\r\n', '\n')}`],
  ['one field of a form', `payload=${encodeURIComponent(said)}`],
  ['a form with a plus that isn’t encoded', form(inbound).replaceAll('%2B', '+')],
  [
    'other spellings of its names',
    said.replace('message_id', 'MessageId').replace('received_at', 'receivedAt'),
  ],
  ['objects', JSON.stringify({ entry: [{ changes: [{ value: { messages: [inbound] } }] }] })],
])('reads an event in %s as its JSON', (_form, body) => {
  expect(parse(body)).toEqual(parse(inbound))
})

test('keeps the lines and letters of a form’s text', () => {
  expect(parse(multipart({ ...inbound, content: 'Adiós\r\n\r\n--' })).content).toBe('Adiós\r\n\r\n--')
  expect(parse(said.replace('STOP', 'STOP\nnow\u0001')).content, 'also unescaped').toBe('STOP\nnow\u0001')
})

const [person, own] = ['14017122661', '15558675310']
const button = { payload: 'STOP', text: 'Leave the list' }

/** As the documentation of gateways shows them: the person, their text, and whether the event itself is an opt-out. */
test.each<[string, object | string, string, boolean?]>([
  ['SmsStatus', form({ MessageSid: 'S', SmsStatus: 'received', Body: 'Hi', From: person, To: own }), 'Hi'],
  ['OptOutType', form({ OptOutType: 'STOP', Body: 'Adios', From: person, To: own }), 'Adios', true],
  [
    'ButtonPayload',
    form({ SmsStatus: 'received', Body: 'Leave', ButtonText: 'Leave', ButtonPayload: 'STOP', From: person }),
    'Leave\nSTOP',
  ],
  [
    'msisdn',
    form({ msisdn: person, to: own, messageId: 'a', text: 'Hi', type: 'text', keyword: 'HI' }),
    'Hi',
  ],
  ['originator', form({ id: 'e', recipient: own, originator: person, body: 'Hi' }), 'Hi'],
  ['results', { results: [{ messageId: '8', from: person, to: own, text: 'Hi' }], messageCount: 1 }, 'Hi'],
  ['mo_text', { type: 'mo_text', id: 'b', from: person, to: own, body: 'Hi' }, 'Hi'],
  [
    'event_type',
    {
      data: {
        event_type: 'message.received',
        payload: {
          direction: 'inbound',
          from: { phone_number: person },
          to: [{ phone_number: own }],
          text: 'Hi',
        },
      },
    },
    'Hi',
  ],
  ['owner', [{ type: 'message-received', to: own, message: { to: [own], from: person, text: 'Hi' } }], 'Hi'],
  ['inNumber', form({ sender: person, content: 'Hi', inNumber: own, credits: '1' }), 'Hi'],
  ['from.number', { from: { number: person }, to: { number: own }, message: { text: 'Hi' } }, 'Hi'],
  [
    'sms:received',
    { event: 'sms:received', payload: { message: 'Hi', sender: person, recipient: own } },
    'Hi',
  ],
  [
    'payload.payload',
    { type: 'message', payload: { id: 'A', source: person, type: 'text', payload: { text: 'Hi' } } },
    'Hi',
  ],
  ['direction', form({ direction: 'incoming', id: 's', from: person, to: own, message: 'Hi' }), 'Hi'],
  [
    'contents',
    {
      type: 'MESSAGE',
      direction: 'IN',
      message: { from: person, to: own, contents: [{ type: 'text', text: 'Hi' }] },
    },
    'Hi',
  ],
  ['reply', { from: person, message_type: 'reply', reply: { id: 'row-1', title: 'Hi' } }, 'Hi'],
  ['button', { event: 'mo', source: person, button }, 'Leave the list\nSTOP'],
  ['a payload alone', { event: 'mo', source: person, button: { payload: 'STOP' } }, 'STOP'],
  [
    'interactive',
    { type: 'interactive', from: person, interactive: { button_reply: { id: 'stop', title: 'Stop' } } },
    'Stop',
  ],
  [
    'data of a button',
    { event: 'mo', source: person, button: { ...button, payload: '{"a":1}' } },
    'Leave the list',
  ],
  [
    'suggestionResponse',
    { senderPhoneNumber: person, suggestionResponse: { postbackData: 'STOP', text: 'No more' } },
    'No more\nSTOP',
  ],
  ['user-event', { type: 'user-event', payload: { phone: person, type: 'opted-out' } }, 'opted-out', true],
  [
    'an object of any name',
    { type: 'contact.unsubscribe.created', unsubscriberChanged: { phoneNumber: person, source: 'API' } },
    'contact.unsubscribe.created',
    true,
  ],
  ['its name', { id: 'a', name: 'phone.unsubscribe', data: { phone: person } }, 'phone.unsubscribe', true],
  [
    'sender.contact',
    {
      sender: { contact: { identifierValue: person } },
      body: { text: { text: 'Hi' } },
      status: 'delivered',
      direction: 'in',
    },
    'Hi',
  ],
  ['a place beside its phone', { event: 'unsubscribed', source: 'web', phone: person }, 'unsubscribed', true],
  [
    'its own text, beside other data',
    { event: 'mo', from: person, text: 'Hi', data: { text: 'campaign 7' } },
    'Hi',
  ],
  ['a program as its source', { event: 'mo', source: 'sms-gateway', from: person, content: 'Hi' }, 'Hi'],
  ['only its sender ID', form({ senderId: 'Acme', phoneNumber: person }), 'opt-out', true],
  ['updateType', form({ phoneNumber: person, shortCode: '1', updateType: 'deletion' }), 'opt-out', true],
  ['opt_out', { event: 'mo', source: person, content: 'Bye', opt_out: true }, 'Bye', true],
])('knows an inbound message by %s', (_name, body, content, isOptOut = false) => {
  expect(parse(body)).toMatchObject({ kind: 'mo', number: person, content, isOptOut })
})

test.each<[string, object | string]>([
  ['a form', `event=mo&from=${person}&from=${own}&content=STOP&content=STOP`],
  ['a form with brackets', `event=mo&from[]=${person}&from[]=${own}&content=STOP`],
  [
    'a form in parts',
    multipart({ event: 'mo', content: 'STOP', from: person }).replace(
      '--XyZ--\r\n',
      multipart({ from: own }),
    ),
  ],
  ['a list', { event: 'mo', from: [person, { number: own }], content: 'STOP' }],
  ['an opt-out', { event: 'unsubscribed', phone: [person, own], text: 'STOP' }],
])('keeps every sender of %s', (_name, body) => {
  expect(parse(body)).toMatchObject({ kind: 'mo', number: `${person} / ${own}`, content: 'STOP' })
})

test.each([
  ['SmsStatus', form({ SmsStatus: 'delivered', MessageSid: 'S', To: person, From: own }), 'delivered'],
  [
    'msisdn',
    form({ msisdn: person, to: 'Acme', messageId: 'S', status: 'delivered', 'err-code': '0' }),
    'delivered',
  ],
  [
    'groupName',
    { results: [{ messageId: 'S', to: person, status: { id: 5, groupName: 'DELIVERED' } }] },
    'delivered',
  ],
  ['id', form({ id: 'S', status: 'UNDELIV', phone: person }), 'failed'],
  ['sms:failed', { event: 'sms:failed', payload: { messageId: 'S', phoneNumber: person } }, 'failed'],
  [
    'delivery_report',
    { type: 'delivery_report', messageId: 'S', recipient: person, status: 'Dispatched' },
    'Dispatched',
  ],
])('knows a report by %s', (_name, body, status) => {
  expect(parse(body)).toMatchObject({ kind: 'dlr', messageId: 'S', number: person, status })
})

test.each([
  [
    'a message sent from here',
    { type: 'message', direction: 'outbound', from: own, to: person, text: 'STOP ends' },
  ],
  ['another event', { event: 'contact.created', from: person, text: 'STOP' }],
  ['a sender without a text', { from: person }],
  ['a sender ID with an amount', form({ senderId: 'Acme', phoneNumber: person, amount: '5' })],
  ['a new subscription', form({ phoneNumber: person, shortCode: '1', updateType: 'addition' })],
])('takes %s for no inbound message', (_name, body) => {
  expect(parse(body).kind).toBe('quarantined')
})
