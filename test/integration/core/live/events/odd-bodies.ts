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
    ['a space', ' ', /not JSON/],
    ['plain text', 'hello', /not JSON/],
    ['HTML', '<html><body>502</body></html>', /not JSON/],
    ['XML', '<?xml version="1.0"?><dlr/>', /not JSON/],
    ['a form', 'event=dlr&message_id=1&status=delivered', /not JSON/],
    ['JSON cut off', JSON.stringify(dlr('m', 'delivered')).slice(0, -5), /not JSON/],
    ['JSON with a tail', `${JSON.stringify(dlr('m', 'delivered'))}x`, /not JSON/],
    ['two objects', '{"event":"dlr"}{"event":"dlr"}', /not JSON/],
    ['two lines of objects', '{"event":"dlr"}\n{"event":"dlr"}', /not JSON/],
    ['single quotes', `{'event':'dlr'}`, /not JSON/],
    ['a comma too many', '{"event":"dlr",}', /not JSON/],
    ['a comment', '/* x */{"event":"dlr"}', /not JSON/],
    ['a byte order mark', `\ufeff${JSON.stringify(dlr('m', 'delivered'))}`, /not JSON/],
    ['a NUL at the end', raw('{"event":"dlr"}', [0]), /not JSON/],
    ['a raw line break in a text', '{"event":"dl\nr"}', /not JSON/],
    ['NaN', '{"event":"dlr","error_code":NaN}', /not JSON/],
    ['a leading zero', '{"event":"dlr","error_code":01}', /not JSON/],
    // Not UTF-8
    ['Latin-1', raw('{"event":"mo","content":"caf', [0xe9], '"}'), /not UTF-8/],
    ['UTF-16', Buffer.from(JSON.stringify(dlr('m', 'delivered')), 'utf16le'), /not JSON|not UTF-8/],
    ['an overlong form', raw('{"event":"', [0xc0, 0xaf], '"}'), /not UTF-8/],
    ['half a character', raw('{"event":"dlr"}', [0xe2, 0x82]), /not UTF-8/],
    ['a surrogate in UTF-8', raw('{"event":"', [0xed, 0xa0, 0x80], '"}'), /not UTF-8/],
    ['gzip', raw([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]), /not UTF-8/],
    // Not an object
    ['null', 'null', /null, not an object/],
    ['a number', '42', /a number, not an object/],
    ['a huge number', '1e999', /a number, not an object/],
    ['a text', '"dlr"', /text, not an object/],
    ['true', 'true', /true or false, not an object/],
    ['an empty list', '[]', /a list, not an object/],
    ['a list of events', [dlr('m', 'delivered')], /a list, not an object/],
    ['100,000 lists in each other', nested(100_000), /a list, not an object|nested too deeply/],
    // No known event
    ['an empty object', {}, /“event” is missing/],
    ['no event', without(dlr('m', 'delivered'), 'event'), /“event” is missing/],
    ['event null', { ...dlr('m', 'delivered'), event: null }, /“event” is null/],
    ['event as a number', { ...dlr('m', 'delivered'), event: 7 }, /“event” is a number/],
    ['event as a list', { ...dlr('m', 'delivered'), event: ['dlr'] }, /“event” is a list/],
    ['an empty event', { ...dlr('m', 'delivered'), event: '' }, /Unknown event “”/],
    ['event in capitals', { ...dlr('m', 'delivered'), event: 'DLR' }, /Unknown event “DLR”/],
    ['event with a space', { ...dlr('m', 'delivered'), event: 'dlr ' }, /Unknown event “dlr ”/],
    ['a dotted event of no status', { ...dlr('m', 'delivered'), event: 'message.opened' }, /Unknown event/],
    ['a campaign event', { event: 'campaign.paused', message_id: 'm' }, /Unknown event “campaign.paused”/],
    ['a name of Object', { event: 'constructor' }, /Unknown event “constructor”/],
    ['a very long event', { event: 'x'.repeat(10_000) }, /^Unknown event “x{64}”$/],
    ['event only in a prototype', '{"__proto__":{"event":"dlr"}}', /“event” is missing/],
    // Invalid delivery reports
    ['a report without id', without(dlr('m', 'delivered'), 'message_id'), /“message_id” is missing/],
    ['id null', dlr('m', 'delivered', { message_id: null }), /“message_id” is missing/],
    ['an empty id', dlr('', 'delivered'), /“message_id” is empty/],
    ['id as a number', dlr('m', 'delivered', { message_id: 12 }), /“message_id” is not text/],
    ['id as an object', dlr('m', 'delivered', { message_id: { id: 1 } }), /“message_id” is not text/],
    ['an id of 10,000 characters', dlr('m'.repeat(10_000), 'delivered'), /“message_id” is longer/],
    ['a NUL in the id', dlr('a\0b', 'delivered'), /“message_id” contains control/],
    ['half a surrogate pair as id', '{"event":"dlr","message_id":"\\ud800","status":"failed"}', /control/],
    ['a report without status', without(dlr('m', 'delivered'), 'status'), /“status” is missing/],
    ['status null', dlr('m', 'delivered', { status: null }), /“status” is missing/],
    ['an empty status', dlr('m', ''), /“status” is empty/],
    ['status as a number', dlr('m', 'delivered', { status: 2 }), /“status” is not text/],
    ['a status of 10,000 characters', dlr('m', 's'.repeat(10_000)), /“status” is longer/],
    ['error code as words', dlr('m', 'failed', { error_code: 'E4' }), /“error_code” is not an integer/],
    ['error code as an empty text', dlr('m', 'failed', { error_code: '' }), /“error_code” is not an integer/],
    ['error code with a fraction', dlr('m', 'failed', { error_code: 1.5 }), /“error_code” is not an integer/],
    ['error code as true', dlr('m', 'failed', { error_code: true }), /“error_code” is not an integer/],
    ['error code as a list', dlr('m', 'failed', { error_code: [1] }), /“error_code” is not an integer/],
    [
      'a huge error code',
      '{"event":"dlr","message_id":"m","status":"failed","error_code":1e400}',
      /“error_code”/,
    ],
    [
      'an error code beyond exact integers',
      '{"event":"dlr","message_id":"m","status":"failed","error_code":9007199254740993}',
      /“error_code” is not an integer/,
    ],
    ['an error code of 40 digits', dlr('m', 'failed', { error_code: '1'.repeat(40) }), /“error_code”/],
    [
      'destination as a number',
      dlr('m', 'delivered', { destination: 15550001111 }),
      /“destination” is not text/,
    ],
    ['destination as an object', dlr('m', 'delivered', { destination: {} }), /“destination” is not text/],
    [
      'time as a number',
      dlr('m', 'delivered', { delivered_at: 1_700_000_000 }),
      /“delivered_at” is not text/,
    ],
    ['a dotted report without id', { event: 'message.delivered' }, /“message_id” is missing/],
    // Invalid inbound messages
    ['a mo without id', without(mo('m', 'hi'), 'message_id'), /“message_id” is missing/],
    ['a mo without source', without(mo('m', 'hi'), 'source'), /“source” is missing/],
    ['an empty source', mo('m', 'hi', { source: ' ' }), /“source” is empty/],
    ['source as a number', mo('m', 'hi', { source: 1555 }), /“source” is not text/],
    ['a mo without content', without(mo('m', 'hi'), 'content'), /“content” is missing/],
    ['content null', mo('m', 'hi', { content: null }), /“content” is missing/],
    ['content as a list', mo('m', 'hi', { content: ['hi'] }), /“content” is not text/],
    ['destination of a mo as true', mo('m', 'hi', { destination: true }), /“destination” is not text/],
    ['time of a mo as an object', mo('m', 'hi', { received_at: { at: 1 } }), /“received_at” is not text/],
  ] as [string, Uint8Array | string | object, RegExp][]
).map(([name, body, reason]) => [name, bytesOf(body), reason])
