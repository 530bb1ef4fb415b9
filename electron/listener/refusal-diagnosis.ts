import type { KeptRefusal } from './refusals.ts'
import type {
  BodyForm,
  BodyHint,
  ReceivedForm,
  RefusalDetail,
  RefusalMatch,
  RefusalSample,
  SecretForm,
} from './protocol.ts'
import type { SigningKey } from './signature.ts'

const shownBytes = 2_048

/** Longer bodies are only compared as they came: each form costs a hash of the whole. */
const formsUpToBytes = 16 * 1024

/** Deeper JSON is not reformatted: indented, it grows with the square of its depth. No event is this deep. */
const formsUpToDepth = 16

/** A whole signature would let a reader pass off a stranger's body as signed. */
const shownDigits = 12

/** Spellings of a received signature, as 64 lowercase hex digits. */
function* receivedForms(received: string): Generator<[ReceivedForm, string]> {
  yield ['as-is', received]
  const bare = received
    .trim()
    .replace(/^(?:sha256=|v1[=,]|0x|")/i, '')
    .replace(/"$/, '')
  if (bare !== received && /^[0-9a-f]{64}$/.test(bare)) yield ['decorated', bare]
  if (/^[0-9a-f]{64}$/i.test(bare)) yield ['upper-case', bare.toLowerCase()]
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(bare)) yield ['base64', Buffer.from(bare, 'base64').toString('hex')]
}

/** Common ways to set a secret wrong on one side. */
function* secretForms(secret: Buffer): Generator<[SecretForm, Buffer]> {
  yield ['as-is', secret]
  const text = secret.toString('utf8')
  const trimmed = text.trim()
  if (trimmed !== text && trimmed !== '') yield ['without-blanks', Buffer.from(trimmed)]
  yield ['with-line-end', Buffer.from(`${text}\n`)]
  if (/^(?:[0-9a-f]{2})+$/i.test(trimmed)) yield ['hex-decoded', Buffer.from(trimmed, 'hex')]
  if (/^[A-Za-z0-9+/_-]+={0,2}$/.test(trimmed) && trimmed.length >= 16)
    yield ['base64-decoded', Buffer.from(trimmed, 'base64')]
}

function parse(text: string): { value: unknown } | null {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return null
  }
}

/** Nesting depth; brackets in strings count too, which only errs on the safe side. */
function depthOf(json: string): number {
  let depth = 0
  let deepest = 0
  for (const sign of json) {
    if (sign === '[' || sign === '{') deepest = Math.max(deepest, ++depth)
    else if (sign === ']' || sign === '}') depth--
  }
  return deepest
}

/** JSON with blanks after commas and colons, the default of several languages. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).map(([name, field]) => `${JSON.stringify(name)}: ${spaced(field)}`)
  return `{${fields.join(', ')}}`
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const names = Object.keys(value).sort()
  return Object.fromEntries(names.map((name) => [name, sorted((value as Record<string, unknown>)[name])]))
}

const escaped = (json: string) =>
  json.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Bodies that may have been signed before a proxy reformatted them. */
function* otherBodies(body: Buffer): Generator<[BodyForm, Buffer]> {
  if (body.length > formsUpToBytes) return
  const text = body.toString('utf8')
  const plain = text.replace(/^\ufeff/, '')
  if (plain !== text) yield ['without-byte-order-mark', Buffer.from(plain)]
  yield ['with-byte-order-mark', Buffer.from(`\ufeff${plain}`)]
  if (plain.trim() !== plain) yield ['without-blanks-around', Buffer.from(plain.trim())]
  yield ['with-line-end', Buffer.from(`${plain}\n`)]
  if (plain.includes('\r\n')) yield ['other-line-ends', Buffer.from(plain.replaceAll('\r\n', '\n'))]
  else if (plain.includes('\n')) yield ['other-line-ends', Buffer.from(plain.replaceAll('\n', '\r\n'))]
  yield ['other-character-set', Buffer.from(plain, 'latin1')]
  yield ['other-character-set', Buffer.from(body.toString('latin1'), 'utf8')]
  const json = depthOf(plain) > formsUpToDepth ? null : parse(plain)
  if (!json) return
  for (const value of [json.value, sorted(json.value)]) {
    const form: BodyForm = value === json.value ? 'other-json' : 'other-key-order'
    for (const written of [
      JSON.stringify(value),
      spaced(value),
      JSON.stringify(value, null, 2),
      JSON.stringify(value, null, 4),
    ]) {
      for (const variant of [written, escaped(written), written.replaceAll('/', '\\/')])
        yield [form, Buffer.from(variant)]
      yield [form, Buffer.from(escaped(written.replaceAll('/', '\\/')))]
    }
  }
}

const retiredAt = ({ retireAtMs }: SigningKey, nowMs: number) => (retireAtMs <= nowMs ? retireAtMs : null)

/**
 * Finds the stored secret behind a signature: first for the body as it came, with variants of value and
 * secret, then for variants of the body. A match is proof. Returns the match with the fewest changes, active
 * secrets before retired ones, or null.
 */
export function findMatch(
  refusal: KeptRefusal,
  keys: readonly SigningKey[],
  nowMs: number,
): RefusalMatch | null {
  const { body, receivedSignature } = refusal
  if (!body || receivedSignature === null) return null
  const received = [...receivedForms(receivedSignature)].filter(([, value]) => /^[0-9a-f]{64}$/.test(value))
  if (received.length === 0) return null
  const matchOf = (
    key: SigningKey,
    secret: SecretForm,
    bytes: Buffer | undefined,
    of: BodyForm,
    content: Buffer,
  ) => {
    const signature = key.sign(content, bytes)
    const found = received.find(([, value]) => value === signature)
    if (!found) return []
    return [{ secretId: key.id, received: found[0], secret, body: of, retiredAtMs: retiredAt(key, nowMs) }]
  }
  const changesOf = (match: RefusalMatch) =>
    [match.received, match.secret].filter((form) => form !== 'as-is').length
  const best = keys
    .flatMap((key) =>
      [...secretForms(key.secret())].flatMap(([form, bytes]) => matchOf(key, form, bytes, 'as-is', body)),
    )
    .sort((a, b) => changesOf(a) - changesOf(b) || (a.retiredAtMs ?? 0) - (b.retiredAtMs ?? 0))[0]
  if (best) return best
  for (const [form, content] of otherBodies(body)) {
    if (content.length > 2 * formsUpToBytes) continue
    for (const key of keys) {
      const [match] = matchOf(key, 'as-is', undefined, form, content)
      if (match) return match
    }
  }
  return null
}

/** Traces of something that rewrites bodies. None is proof. */
function bodyHints({ body, headers }: KeptRefusal): BodyHint[] {
  const header = (name: string) => headers.find(([key]) => key === name)?.[1] ?? ''
  const hints: BodyHint[] = []
  if (header('content-encoding') !== '') hints.push('compressed')
  if (['via', 'forwarded', 'x-forwarded-for'].some((name) => header(name) !== '')) hints.push('proxied')
  if (!body) return hints
  const text = body.toString('utf8')
  const type = header('content-type')
  if (type !== '' && !/\bjson\b/i.test(type)) hints.push('not-json-type')
  if (body.length === 0) return [...hints, 'empty']
  if (text.startsWith('\ufeff')) hints.push('byte-order-mark')
  if (text.includes('\ufffd')) hints.push('broken-characters')
  const json = parse(text.replace(/^\ufeff/, ''))
  if (!json) hints.push('not-json')
  else if (depthOf(text) <= formsUpToDepth && JSON.stringify(json.value) !== text) hints.push('not-compact')
  return hints
}

/** Cuts a real signature; shows anything else in full. */
const shown = (received: string) =>
  /^[0-9a-f]{64}$/.test(received) ? received.slice(0, shownDigits) : received

/**
 * Details of a refused request, compared with the secrets at `nowMs`. Costs about fifty hashes per secret, of
 * 32 KiB at most.
 */
export function detailOf(
  refusal: KeptRefusal & { sample: RefusalSample },
  keys: readonly SigningKey[],
  nowMs: number,
): RefusalDetail {
  const { sample, headers, body, receivedSignature } = refusal
  return {
    ...sample,
    headers,
    bodyHex: body?.toString('hex', 0, shownBytes) ?? null,
    receivedSignature: receivedSignature === null ? null : shown(receivedSignature),
    computed: body
      ? keys.map((key) => {
          const signature = key.sign(body)
          return {
            secretId: key.id,
            signatureStart: signature.slice(0, shownDigits),
            isSame: signature === receivedSignature,
            retiredAtMs: retiredAt(key, nowMs),
          }
        })
      : [],
    match: findMatch(refusal, keys, nowMs),
    hints: bodyHints(refusal),
  }
}
