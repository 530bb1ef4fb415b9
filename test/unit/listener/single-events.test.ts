import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { longestList, singleEvents } from '#electron/listener/single-events.ts'

const [a, b] = [
  { event: 'mo', source: '+12025550101', content: 'STOP' },
  { event: 'dlr', message_id: 'm', status: 'failed' },
]
const bodiesOf = (body: string | Uint8Array) =>
  singleEvents({ body: Buffer.from(body) }).map((one) => String(one.body))
const json = JSON.stringify

test.each([
  ['a list', json([a, b]), [json([a]), json([b])]],
  ['a list with something odd', json([a, 7]), [json([a]), '[7]']],
  ...['data', 'payload', 'message', 'events', 'messages', 'results', 'entry', 'changes', 'value'].map(
    (name) =>
      [
        `a list in “${name}”`,
        json({ event: 'mo', [name]: [a, a] }),
        [json({ event: 'mo', [name]: [a] }), json({ event: 'mo', [name]: [a] })],
      ] as const,
  ),
  [
    'lists in lists',
    json({
      id: 1,
      entry: [{ changes: [{ value: { messages: [a, b] } }] }, { changes: [{ value: { messages: [b] } }] }],
    }),
    [a, b, b].map((event) => json({ id: 1, entry: [{ changes: [{ value: { messages: [event] } }] }] })),
  ],
  [
    'lists with events of one in lists',
    json([{ events: [a] }, { events: [a, b] }]),
    [a, a, b].map((event) => json([{ events: [event] }])),
  ],
  ['lines of JSON', `${json(a)}\n${json(b)}\r\n\n`, [json(a), `${json(b)}\r`]],
  [
    'a list with long ids',
    '[{"message_id":12345678901234567890},{"message_id":12345678901234567891}]',
    [json([{ message_id: '12345678901234567890' }]), json([{ message_id: '12345678901234567891' }])],
  ],
  [
    'a list in Latin-1',
    Buffer.from(json([{ ...a, name: 'José' }, b]), 'latin1'),
    [json([{ ...a, name: 'Jos\ufffd' }]), json([b])],
  ],
  ['gzip', gzipSync(json(a)), [json(a)]],
  ['a list in gzip', gzipSync(json([a, b])), [json([a]), json([b])]],
  ['deflate', deflateSync(json(a)), [json(a)]],
  ['a list in deflate without its header', deflateRawSync(json([a, b])), [json([a]), json([b])]],
  ['a packed form', deflateSync('event=mo&content=STOP'), ['event=mo&content=STOP']],
  [
    'a list in a field of a form',
    `event=mo&events=${encodeURIComponent(json([a, b]))}`,
    [json({ event: 'mo', events: [a] }), json({ event: 'mo', events: [b] })],
  ],
  [
    'a list in a field of a form with small escapes',
    `payload=${encodeURIComponent(json([a, b])).replace(/%../g, (escape) => escape.toLowerCase())}`,
    [json({ payload: [a] }), json({ payload: [b] })],
  ],
  [
    'a form with a field of JSON that comes twice',
    [a, b].map((event) => `payload=${encodeURIComponent(json(event))}`).join('&'),
    [json({ payload: [a] }), json({ payload: [b] })],
  ],
] as const)('makes one delivery per event of %s', (_form, body, bodies) => {
  expect(bodiesOf(body)).toEqual(bodies)
})

test.each([
  ['one event', json(a)],
  ['one event over several lines', JSON.stringify(a, null, 2)],
  ['a list of one', json([a])],
  ['a list of numbers', '[1,2]'],
  ['a list in an event', json({ ...a, data: [a, b] })],
  ['a list that is too long', json(Array.from({ length: longestList + 1 }, () => ({})))],
  ['much text around a list', json({ data: Array(longestList).fill(a), more: 'x'.repeat(5_000) })],
  ['lists that are too long together', json([{ data: Array(longestList).fill(a) }, { data: [a] }])],
  ['lines, one of which is no object', `${json(a)}\n7`],
  ['broken JSON', '[{"event":"mo"},'],
  ['lists nested too deeply', '['.repeat(30_000)],
  ['a form', 'event=mo&content=STOP%5B1%5D'],
  ['a text without an end, full of quotes', `{"content":"${String.raw`\"`.repeat(100_000)}\n`],
])('leaves %s as it came', (_form, body) => {
  expect(bodiesOf(body)).toEqual([body])
})

test.each([
  ['damaged gzip', Buffer.concat([gzipSync(json(a)).subarray(0, 20), Buffer.alloc(9)])],
  ['a gzip of 20 MiB', gzipSync('x'.repeat(20 * 1024 * 1024))],
  ['a deflate of 20 MiB', deflateSync('x'.repeat(20 * 1024 * 1024))],
  ['a deflate of 20 MiB without its header', deflateRawSync('x'.repeat(20 * 1024 * 1024))],
  ['a form in Latin-1', Buffer.from('source=1&content=Adi\xf3s', 'latin1')],
])('leaves %s as it came', (_form, body) => {
  expect(singleEvents({ body })).toEqual([{ body }])
})
