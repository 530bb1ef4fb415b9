import { bytesOf, dlr, mo } from './events-fixture.ts'

const without = (body: object, field: string) =>
  Object.fromEntries(Object.entries(body).filter(([name]) => name !== field))
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
const raw = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))))

/** Bodies that are neither a delivery report nor an inbound message: the fault, the body, part of the reason. */
export const oddBodies: [name: string, body: Uint8Array, reason: RegExp][] = (
  [
    // Not JSON
    ['an empty body', '', /empty/],
    ['plain text', 'hello', /not JSON/],
    ['HTML', '<html><body>502</body></html>', /not JSON/],
    ['JSON cut off', JSON.stringify(dlr('m', 'delivered')).slice(0, -5), /not JSON/],
    ['NaN', '{"event":"dlr","error_code":NaN}', /not JSON/],
    // Not UTF-8
    ['an overlong form', raw('{"event":"', [0xc0, 0xaf], '"}'), /Unknown event/],
    [
      'an id that is not UTF-8',
      raw('{"event":"dlr","message_id":"', [0xe9], '","status":"failed"}'),
      /control/,
    ],
    ['UTF-16', Buffer.from(JSON.stringify(mo('m', 'STOP')), 'utf16le').swap16(), /not JSON|not UTF-8/],
    ['gzip', raw([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]), /not UTF-8/],
    // Not an object
    ['null', 'null', /null, not an object/],
    ['a text', '"dlr"', /text, not an object/],
    ['a list of events', [dlr('m', 'delivered'), mo('m', 'hi')], /a list, not an object/],
    ['an object with 1,001 events', { events: Array(1_001).fill(dlr('m', 'delivered')) }, /has 1,001 events/],
    ['100,000 lists in each other', nested(100_000), /a list, not an object|nested too deeply/],
    [
      'a sender in 9,000 lists in each other',
      `{"event":"mo","content":"Hi","from":${nested(9_000)}}`,
      /nested too deeply|“source” is not text/,
    ],
    [
      'a sender that is no text',
      '{"event":"mo","content":"Hi","from":{"toString":null}}',
      /field is invalid/,
    ],
    // No known event
    ['an empty object', {}, /“event” is missing/],
    ['no event', { message_id: 'm', content: 'hi' }, /“event” is missing/],
    ['event null', { ...dlr('m', 'delivered'), event: null }, /“event” is null/],
    ['event as a number', { ...dlr('m', 'delivered'), event: 7 }, /“event” is a number/],
    ['an empty event', { ...dlr('m', 'delivered'), event: '' }, /Unknown event “”/],
    ['a dotted event of no status', { ...dlr('m', 'delivered'), event: 'message.opened' }, /Unknown event/],
    ['a name of Object', { event: 'constructor' }, /Unknown event “constructor”/],
    ['a very long event', { event: 'x'.repeat(10_000) }, /^Unknown event “x{64}”$/],
    // Invalid delivery reports
    ['a report without id', without(dlr('m', 'delivered'), 'message_id'), /“message_id” is missing/],
    ['an empty id', dlr('', 'delivered'), /“message_id” is empty/],
    ['id as an object', dlr('m', 'delivered', { message_id: { id: 1 } }), /“message_id” is not text/],
    ['an id of 10,000 characters', dlr('m'.repeat(10_000), 'delivered'), /“message_id” is longer/],
    ['a NUL in the id', dlr('a\0b', 'delivered'), /“message_id” contains control/],
    ['half a surrogate pair as id', '{"event":"dlr","message_id":"\\ud800","status":"failed"}', /control/],
    ['a report without status', without(dlr('m', 'delivered'), 'status'), /“status” is missing/],
    ['an empty status', dlr('m', ''), /“status” is empty/],
    ['a status of 10,000 characters', dlr('m', 's'.repeat(10_000)), /“status” is longer/],
    ['a dotted report without id', { event: 'message.delivered' }, /“message_id” is missing/],
    // Invalid inbound messages
    ['a mo without source', without(mo('m', 'hi'), 'source'), /“source” is missing/],
    ['an empty source', mo('m', 'hi', { source: ' ' }), /“source” is empty/],
  ] as [string, Uint8Array | string | object, RegExp][]
).map(([name, body, reason]) => [name, bytesOf(body), reason])
