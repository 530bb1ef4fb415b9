import { isFields, isWhole, nestedMax, textFields, wrappers } from '../../../listener/single-events.ts'

/** The fields of an event. Names are in `snake_case`. */
export type Fields = Record<string, unknown>

/** What a list of one holds. */
const only = (value: unknown): unknown => (Array.isArray(value) && value.length === 1 ? value[0] : value)

/** Between the numbers of several persons. A hold blocks each. */
const between = ' / '
/** Other sources name a program, or a place such as “web”. */
const isNumber = (source: unknown): boolean =>
  String(source)
    .split(between)
    .every((one) => /^\s*(?:\w+:)?\+?\d[\d\s().-]{5,}(?:@\S+)?$/.test(one))

const otherSpelling = /[A-Z-]/
/** Also with its names in `snake_case`, where services write `MessageSid` or `message-timestamp`. */
function withSnakeNames(event: Fields): Fields {
  const others = Object.keys(event).filter((name) => otherSpelling.test(name))
  if (others.length === 0) return event
  const snake = (name: string) => name.replace(/(?<=[a-z\d])(?=[A-Z])|-/g, '_').toLowerCase()
  return { ...Object.fromEntries(others.map((name) => [snake(name), event[name]])), ...event }
}

const personFields = ['source', 'phone_number', 'phone', 'number', 'msisdn', 'originator', 'sender']
/** Where the event gives only these, each may be the person: services name the sender of the message or of the reply. */
const eitherFields = ['from', 'to', 'destination', 'recipient']
const hasPerson = (value: unknown): boolean => {
  const given = only(value)
  const fields = isFields(given) ? withSnakeNames(given) : {}
  return [...personFields, ...eitherFields].some((name) => isNumber(fields[name]))
}
/** Whether other objects in it are only about the message. */
const isMessage = (event: Fields): boolean =>
  [...personFields, 'from'].some((name) => isNumber(event[name])) &&
  textFields.some((name) => typeof event[name] === 'string' && event[name] !== '')

/** A name with a dot tells what happened; one without may be a person's. */
const dotted = /^[a-z_]+(?:[.:][a-z_]+)+$/

/** Under this key, an event put together from objects has all their names. */
const allNames = Symbol('names')

/** What an event calls itself, the likeliest first. */
function namesOfEvent(event: Fields & { [allNames]?: unknown[] }): unknown[] {
  const { event: own, type, event_type: eventType, name } = event
  const named = [own, type, eventType, dotted.test(String(name)) ? name : undefined]
  return [...named, ...(event[allNames] ?? [])].filter((one) => one !== undefined)
}

/**
 * The event of a delivery, also of a list of one or with its fields in other objects: an opt-out must not be lost for that. What isn't an
 * object is returned as it is.
 */
export function eventIn(value: unknown, depth = 0): unknown {
  const given = only(value)
  if (!isFields(given)) return given
  const event = withSnakeNames(given)
  if (isWhole(event) || isMessage(event) || depth === nestedMax) return event
  const isInner = (one: string) => isFields(only(event[one]))
  const known = wrappers.find(isInner)
  const name =
    known ??
    (hasPerson(event) ? undefined : Object.keys(event).find((one) => isInner(one) && hasPerson(event[one])))
  if (name === undefined) return event
  const inner = withSnakeNames(only(event[name]) as Fields)
  const { [name]: _, ...around } = event
  const source = [inner['source'], event['source']].find(isNumber) ?? inner['source'] ?? event['source']
  const merged = {
    ...around,
    ...inner,
    source,
    event: event['event'] ?? inner['event'],
    type: event['type'] ?? inner['type'],
    [allNames]: [...namesOfEvent(event), ...namesOfEvent(inner)],
  }
  return eventIn(merged, depth + 1)
}

/** Names for the spec's fields, its own first. */
const names = {
  message_id: 'message_id message_uuid message_sid sms_sid sms_id msg_id',
  status: 'status message_status sms_status delivery_status',
  error_code: 'error_code err_code error',
  /** Of a report. Some give the sender ID in `to`. */
  recipient: 'destination recipient msisdn phone_number phone to to_number',
  source:
    'source from originator sender msisdn from_number sender_phone_number phone_number phone number mobile',
  /** Of an inbound message. */
  destination: 'destination to recipient receiver to_number',
  delivered_at: 'delivered_at done_at status_datetime done_date timestamp message_timestamp',
  received_at:
    'received_at timestamp message_timestamp created_datetime date time time_utc time_created created created_at sent_at',
} as const
const namesOf = new Map(Object.entries(names).map(([field, all]) => [field, all.split(' ')]))
/** In objects such as `from: { number }` and `status: { name }`. */
const innerNames = [
  ...['phone_number', 'number', 'msisdn', 'phone', 'contact', 'identifier_value'],
  ...['group_name', 'name', 'code', 'id'],
]

/** A number or word, also out of an object or a list of one; several numbers as one text. */
function plainValue(value: unknown, depth = 0): unknown {
  const given = only(value)
  if (Array.isArray(given) && depth === 0) {
    const all = given.map((one: unknown) => plainValue(one, 1))
    return all.every(isNumber) ? [...new Set(all)].join(between) : given
  }
  if (!isFields(given)) return given
  const inner = withSnakeNames(given)
  const found = innerNames.map((name) => inner[name]).find((one) => one !== undefined)
  return found === undefined || depth === textDepth ? given : plainValue(found, depth + 1)
}

const isGiven = (value: unknown) => value !== undefined && value !== null && value !== ''

/** The value of a field of the spec, under any name that gateways give it. A sender with a number comes first. */
export function fieldOf(fields: Fields, field: keyof typeof names): unknown {
  const all = namesOf.get(field)!
  const isSender = field === 'source'
  const own = fields[all[0]!]
  if (typeof own === 'string' && own !== '' && (!isSender || isNumber(own))) return own
  const values = all.map((name) => fields[name])
  if (field === 'message_id') return values.find(isGiven) ?? own
  const plain = values.map((value) => plainValue(value))
  const number = isSender ? plain.find(isNumber) : undefined
  return number ?? plain.find(isGiven) ?? plain.find((value) => value !== undefined)
}

const buttonFields = [
  'button',
  'interactive',
  'button_reply',
  'list_reply',
  'quick_reply',
  'suggestion_response',
  'reply',
]
/** Where services put the text, and what a button says and means. */
const textNames = [
  ...textFields,
  ...['contents', 'message_body', 'msg', 'sms', 'button_text', ...buttonFields, 'postback'],
  ...['title', 'display_text', 'payload', 'button_payload', 'postback_data'],
]
/** A text lies no deeper in its objects. */
const textDepth = 4
/** What a button means, as a word or two. Others are data. */
const buttonWord = /^[\p{L}_ -]{2,40}$/u

function meaningOf(fields: Fields, isButton: boolean): string | null {
  const { button_payload, payload, postback_data, title, id } = fields
  const given = isButton ? [payload, postback_data, title === undefined ? null : id] : [button_payload]
  return given.find((one): one is string => typeof one === 'string' && buttonWord.test(one)) ?? null
}

/**
 * The text of an inbound message; null if it has none. Services also call it `text`, `body` or `message`, and put it into an object or a
 * button: an opt-out must not be lost for that. Other content is shown as JSON.
 */
export function textOf(given: Fields, depth = 0): string | null {
  const fields = withSnakeNames(given)
  const values = textNames.map((name) => fields[name])
  let odd: string | null = null
  for (const [at, value] of values.entries()) {
    if (typeof value === 'string' && value.trim() !== '') {
      const meaning = meaningOf(fields, depth > 0)
      return meaning === null || meaning.toLowerCase() === value.trim().toLowerCase()
        ? value
        : `${value}\n${meaning}`
    }
    if (typeof value === 'string' || value === undefined || value === null) continue
    const object = only(value)
    const inner = isFields(object) && depth < textDepth ? textOf(object, depth + 1) : null
    if (inner !== null && inner.trim() !== '') return inner
    if (at < textFields.length)
      odd ??= isFields(value) && Object.keys(value).length === 0 ? null : jsonText(value)
  }
  return odd ?? values.find((value) => typeof value === 'string') ?? null
}

/** JSON as text; too deep to be written, only a sign of it. */
function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch {
    return Array.isArray(value) ? '[…]' : '{…}'
  }
}

/** Words of the names of events, such as `incoming_sms`, `message.received` and `deliveryReport`. */
const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(' '))
const inboundWords = wordSet('mo inbound incoming receive received reply originated')
const reportWords = wordSet('dlr report receipt status delivery')
const statusWords = wordSet('submitted delivered failed expired')
const otherWords = wordSet(
  `message messages sms mms rcs whatsapp text binary unicode chat button interactive mobile recipient update new media`,
)
const knownWords = [inboundWords, reportWords, statusWords, otherWords]

const wordsOf = (name: string): string[] =>
  name
    .trim()
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .split(/[._: /-]+/)

/** What an event calls itself; undefined for one without a name. */
export const nameOf = (fields: Fields): unknown => namesOfEvent(fields)[0]

/** What an event is by its name: a report, perhaps with its status, or an inbound message. `fields`: only they can tell, as for `type: "text"`. */
export function kindByName(
  name: string,
): { kind: 'dlr'; status?: string } | { kind: 'mo' | 'fields' | 'unknown' } {
  const words = wordsOf(name)
  const find = (known: ReadonlySet<string>) => words.find((word) => known.has(word))
  if (!words.every((word) => knownWords.some((known) => known.has(word)))) return { kind: 'unknown' }
  if (find(inboundWords)) return { kind: 'mo' }
  const status = find(statusWords)
  if (status !== undefined) return { kind: 'dlr', status }
  return { kind: find(reportWords) ? 'dlr' : 'fields' }
}

/** What an event without a telling name is by its fields; null if they don't tell either. */
export function kindByFields(fields: Fields): 'dlr' | 'mo' | null {
  const status = fieldOf(fields, 'status')
  const direction = String(fields['direction'] ?? '')
  const isReceived =
    /^(?:in|mo)/i.test(direction) || (typeof status === 'string' && kindByName(status).kind === 'mo')
  const isOut = /^(?:out|mt)/i.test(direction)
  const hasSender = /\d{5}/.test(String(fieldOf(fields, 'source') ?? ''))
  if (hasSender && !isOut && textOf(fields) !== null && (status === undefined || isReceived)) return 'mo'
  return isGiven(status) && !isReceived && isGiven(fieldOf(fields, 'message_id') ?? fields['id'])
    ? 'dlr'
    : null
}

/** Names of an opt-out as an event, and as the status or code of a report. */
const optOutName =
  /(?:^|[._ -])(?:unsubscribed?|opt(?:ed)?[._ -]?out)(?:[._ -](?:requested|created|received))?$/
export const isOptOutWord = (value: unknown): boolean =>
  typeof value === 'string' && optOutName.test(value.trim().toLowerCase())

/** Africa’s Talking names only whose messages a person no longer wants, and the person: `senderId`, `phoneNumber`. */
function isBareOptOut(fields: Fields): boolean {
  const given = Object.keys(fields).filter((name) => isGiven(fields[name]))
  const isKnown = given.every((name) => /^(?:sender_?id|phone_?number)$/i.test(name))
  return isKnown && isGiven(fields['sender_id']) && isNumber(fields['phone_number'])
}

/** How the event itself says that it is an opt-out, by a name or by a field for it; null if it doesn't. */
export function optOutWordOf(fields: Fields): string | null {
  const { opt_out: flag, opt_out_type: type } = fields
  const name = namesOfEvent(fields).find(isOptOutWord)
  if (name !== undefined) return String(name).trim().toLowerCase()
  const isSaid = /^(?:true|1)$/.test(String(flag)) || /^stop/i.test(String(type ?? ''))
  return isSaid || fields['update_type'] === 'deletion' || isBareOptOut(fields) ? 'opt-out' : null
}

/** Whose opt-out it is; several numbers as one text, of which a hold blocks each. Empty for one that at most names a message. */
export function whoOptedOut(fields: Fields): unknown {
  const valuesOf = (all: string[]) => all.map((name) => plainValue(fields[name])).filter(Boolean)
  const [persons, others] = [valuesOf(personFields), valuesOf(eitherFields)]
  const person = persons.find(isNumber) ?? (others.some(isNumber) ? undefined : persons[0])
  return person ?? [...new Set(others.filter((one) => typeof one !== 'object').map(String))].join(between)
}
