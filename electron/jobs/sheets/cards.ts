import { isAscii, isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { sniffEncoding } from '../../lib/csv/encoding.ts'
import { likelyEncoding } from '../../lib/csv/likely-encoding.ts'

/** Kinds of numbers, in the order of their columns. */
export const numberKinds = ['mobile', 'home', 'work', 'other', 'fax'] as const
type NumberKind = (typeof numberKinds)[number]

/** A contact card (vCard 2.1, 3.0 or 4.0). */
export interface Card {
  name: string
  firstName: string
  lastName: string
  organization: string
  /** As written, preferred ones first. */
  numbers: Record<NumberKind, string[]>
  emails: string[]
  /** Of the preferred address that names one; empty if none does. */
  country: string
  note: string
  categories: string[]
}

interface Property {
  group: string
  /** In upper case. */
  name: string
  /** Names in upper case. Version 2.1 writes types without a name. */
  parameters: { name: string; value: string }[]
  value: string
}

/** Longest property that is read, in bytes. Only pictures are longer. */
const longest = 1 << 20

/** The cards of a file, in order. A last card without an end counts. `onBytes` gets the bytes done. */
export async function* cardsOf(file: string, onBytes: (done: number) => Promise<void>): AsyncGenerator<Card> {
  const encoding = await encodingOf(file)
  let card: Property[] | null = null
  /** Cards within a card: version 2.1 has an assistant's after an empty AGENT. */
  let within = 0
  let isAgentNext = false
  for await (const line of unfolded(linesOf(file, encoding, onBytes))) {
    const property = propertyOf(line, encoding)
    if (!property) continue
    const isMark = /^\s*VCARD\s*$/i.test(property.value)
    if (property.name === 'BEGIN' && isMark) {
      if (within > 0 || (card && isAgentNext)) within++
      else {
        if (card) yield toCard(card)
        card = []
      }
    } else if (property.name === 'END' && isMark) {
      if (within > 0) within--
      else if (card) {
        yield toCard(card)
        card = null
      }
    } else if (within === 0) card?.push(property)
    isAgentNext = property.name === 'AGENT' && property.value.trim() === ''
  }
  if (card && card.length > 0) yield toCard(card)
}

async function encodingOf(file: string): Promise<string> {
  let rest: Uint8Array = Buffer.alloc(0)
  let isFirst = true
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    const wide = isFirst ? sniffEncoding(chunk).encoding : ''
    if (wide.startsWith('utf-16')) return wide
    isFirst = false
    const bytes = Buffer.concat([rest, chunk])
    // Up to the last line end, where no character is cut.
    const end = Math.max(bytes.lastIndexOf(10), bytes.lastIndexOf(13)) + 1
    if (!isUtf8(bytes.subarray(0, end))) return likelyEncoding([bytes]).encoding
    rest = bytes.subarray(end)
  }
  return isUtf8(rest) ? 'utf-8' : likelyEncoding([rest]).encoding
}

/** Also written twice, and between `END:VCARD` and `BEGIN:VCARD` on one line, as in files put together. */
const lineEnd = /\r*\n|\r+(?!\r|$)|(?=(?:\xef\xbb\xbf)?BEGIN:VCARD)(?<=END:VCARD)/i

/** Lines as bytes, one character each. UTF-16 becomes UTF-8. */
async function* linesOf(
  file: string,
  encoding: string,
  onBytes: (done: number) => Promise<void>,
): AsyncGenerator<string> {
  const wide = encoding.startsWith('utf-16') ? new TextDecoder(encoding) : null
  let rest = ''
  let done = 0
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    const bytes = wide ? Buffer.from(wide.decode(chunk, { stream: true })) : chunk
    const text = rest + bytes.toString('latin1')
    const lines = text.split(lineEnd)
    rest = lines.pop()!
    yield* lines
    await onBytes((done += chunk.length))
  }
  yield rest
}

const isQuotedPrintable = (line: string) => /^[^:]*QUOTED-PRINTABLE[^:]*:/i.test(line)
/** Lines that may hold a property's parameters. */
const headLines = 4

/** Begins or ends a card, wherever it is. */
const mark = /^(?:\xef\xbb\xbf)?\s*(?:BEGIN|END):\s*VCARD\s*$/i
const softEnd = /=[ \t]*$/
/** A property that people need, as programs write it. */
const propertyStart =
  /^(?:[\w-]+\.)?(?:N|FN|TEL|EMAIL|ORG|ADR|NOTE|TITLE|URL|BDAY|PHOTO|REV|UID|CATEGORIES|X-[A-Z-]+)[;:]/

/**
 * Joins folded lines: continued with a leading blank, or in quoted-printable with a trailing `=`. The first line of a card shows its
 * indentation, which is no fold. A line with nothing but `=` ends the property if another follows.
 */
async function* unfolded(lines: AsyncIterable<string>): AsyncGenerator<string> {
  // Joined at once: a picture has thousands of lines.
  let pieces: string[] = []
  let length = 0
  let isSoft = false
  let isLone = false
  /** Blanks before the lines of a card; null at its first line. */
  let indent: number | null = 0
  for await (const written of lines) {
    const isMark = mark.test(written)
    const blanks = /^[ \t]*/.exec(written)![0].length
    if (isMark) indent = null
    else if (indent === null && written.trim() !== '') indent = blanks
    const line: string = isMark ? written.trim() : written.slice(Math.min(blanks, indent ?? 0))
    if (isMark || (isLone && propertyStart.test(line))) isSoft = false
    const isFolded = !isMark && pieces.length > 0 && !isSoft && /^[ \t]/.test(line)
    if (pieces.length > 0 && !isSoft && !isFolded) {
      yield pieces.join('')
      pieces = []
      length = 0
    }
    const piece: string = isFolded ? line.slice(1) : line
    isLone = piece.trim() === '='
    isSoft = softEnd.test(piece) && isQuotedPrintable(pieces.slice(0, headLines).join('') + piece)
    if (length < longest) pieces.push(isSoft ? piece.replace(softEnd, '') : piece)
    length += piece.length
  }
  if (pieces.length > 0) yield pieces.join('')
}

function propertyOf(line: string, encoding: string): Property | null {
  const [, group = '', name = '', head = '', raw = ''] =
    /^(?:\xef\xbb\xbf)?\s*(?:([\w-]+)\.)?([\w-]+)((?:;(?:"[^"]*"|[^":;])*)*):([^]*)$/.exec(line) ?? []
  if (name === '') return null
  const parameters = [...head.matchAll(/;\s*(?:([\w-]+)\s*=)?((?:"[^"]*"|[^":;])*)/g)].map(
    ([, key = 'TYPE', value = '']) => ({ name: key.toUpperCase(), value: value.replaceAll('"', '') }),
  )
  const isCoded = (coding: RegExp) => parameters.some(({ value }) => coding.test(value))
  const charset = parameters.find((parameter) => parameter.name === 'CHARSET')?.value
  const bytes = isCoded(/^quoted-printable$/i)
    ? raw.replace(/=([\da-f]{2})/gi, (_whole, hex: string) => String.fromCharCode(parseInt(hex, 16)))
    : isCoded(/^(b|base64)$/i)
      ? Buffer.from(raw, 'base64').toString('latin1')
      : raw
  const value = decoded(Buffer.from(bytes, 'latin1'), charset, encoding).replace(/\r\n?/g, '\n')
  return { group: group.toLowerCase(), name: name.toUpperCase(), parameters, value }
}

/** Text in the property's character set, if it has one that exists and fits. */
function decoded(bytes: Buffer, charset: string | undefined, encoding: string): string {
  const isText = isUtf8(bytes)
  if (charset !== undefined && !encoding.startsWith('utf-16') && !isAscii(bytes))
    try {
      return new TextDecoder(charset.trim(), { fatal: true }).decode(bytes)
    } catch {
      // Unknown or wrong.
    }
  return isText
    ? bytes.toString()
    : new TextDecoder(encoding.startsWith('utf') ? 'windows-1252' : encoding).decode(bytes)
}

const unescaped = (text: string): string =>
  text.replace(/\\(r\\n|[^])/gi, (_whole, char: string) => (/n$/i.test(char) ? '\n' : char))

const partsOf = (value: string, between: RegExp): string[] =>
  value.split(between).map((part) => unescaped(part).trim())

const typesOf = ({ parameters }: Property): string[] =>
  parameters.flatMap(({ name, value }) => (name === 'TYPE' ? value.toLowerCase().split(',') : []))

/** Names of kinds, as types and in the labels that people choose or write. */
const kindNames: [NumberKind, RegExp][] = [
  ['fax', /fax/],
  ['mobile', /cell|(?<!im)mobil|iphone|handy|gsm|móvil|movil|celular/],
  ['work', /work|business|office|büro|buero|arbeit|trabajo|oficina/],
  ['home', /home|privat|casa|hogar/],
]

function kindOf(types: readonly string[], label: string): NumberKind {
  const words = [...types, label.toLowerCase()].join(' ')
  return kindNames.find(([, shape]) => shape.test(words))?.[0] ?? 'other'
}

/** 0 for a preferred property, 1 to 100 by its order, 101 for the others. */
function preference(property: Property): number {
  const order = Number(property.parameters.find(({ name }) => name === 'PREF')?.value)
  if (order > 0) return order
  return typesOf(property).includes('pref') ? 0 : 101
}

/** A number without `tel:` and the escapes of an address. */
function numberOf({ value, parameters }: Property): string {
  const text = unescaped(value).trim()
  if (!/^tel:/i.test(text) && !parameters.some((one) => one.name === 'VALUE' && /^uri$/i.test(one.value)))
    return text
  const address = text.replace(/^tel:/i, '')
  try {
    return decodeURIComponent(address)
  } catch {
    return address
  }
}

/** The country of an address, by its name or else its two letters, as Apple writes them beside it. */
function countryOf({ group, value }: Property, codes: ReadonlyMap<string, string>): string {
  const country = partsOf(value, /(?<!\\);/)[6] ?? ''
  return country || (group === '' ? '' : (codes.get(group)?.trim() ?? ''))
}

/** Together the whole name, for cards without parts. */
function partsOfName(name: string): Pick<Card, 'firstName' | 'lastName'> {
  const words = name.split(/\s+/)
  const lastName = words.length > 1 ? words.pop()! : ''
  return { firstName: words.join(' '), lastName }
}

function toCard(properties: readonly Property[]): Card {
  const all = (name: string) => properties.filter((property) => property.name === name)
  const text = (name: string) =>
    all(name)
      .map(({ value }) => unescaped(value).trim())
      .find((value) => value !== '') ?? ''
  // Several first names have commas between them.
  const inWords = (all('N')[0]?.value ?? '').replace(/(?<!\\),\s*/g, ' ')
  const [lastName = '', firstName = '', ...others] = partsOf(inWords, /(?<!\\);/)
  const organization = partsOf(all('ORG')[0]?.value ?? '', /(?<!\\);/)
    .filter((part) => part !== '')
    .join(', ')
  const labels = new Map(all('X-ABLABEL').map(({ group, value }) => [group, value]))
  const countryCodes = new Map(all('X-ABADR').map(({ group, value }) => [group, value]))
  const numbers: Card['numbers'] = { mobile: [], home: [], work: [], other: [], fax: [] }
  for (const property of all('TEL').toSorted((a, b) => preference(a) - preference(b))) {
    const number = numberOf(property)
    const kind = kindOf(typesOf(property), property.group === '' ? '' : (labels.get(property.group) ?? ''))
    if (number !== '' && !numbers[kind].includes(number)) numbers[kind].push(number)
  }
  const named = [others[1], firstName, others[0], lastName, others[2]].filter((part) => part).join(' ')
  const name = text('FN') || named || organization || text('NICKNAME')
  return {
    name,
    ...(firstName === '' && lastName === '' ? partsOfName(name) : { firstName, lastName }),
    organization,
    numbers,
    emails: all('EMAIL')
      .toSorted((a, b) => preference(a) - preference(b))
      .map(({ value }) => unescaped(value).trim())
      .filter((value) => value !== ''),
    country:
      all('ADR')
        .toSorted((a, b) => preference(a) - preference(b))
        .map((address) => countryOf(address, countryCodes))
        .find((country) => country !== '') ?? '',
    note: all('NOTE')
      .map(({ value }) => unescaped(value).trim())
      .filter((value) => value !== '')
      .join('\n'),
    categories: all('CATEGORIES')
      .flatMap(({ value }) => partsOf(value, /(?<!\\)[,;]/))
      .filter((part) => part !== ''),
  }
}
