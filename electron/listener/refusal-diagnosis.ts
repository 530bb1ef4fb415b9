import type { KeptRefusal } from './refusals.ts'
import type { ReceivedForm, RefusalDetail, RefusalMatch, RefusalSample, SecretForm } from './protocol.ts'
import type { SigningKey } from './signature.ts'

const shownBytes = 2_048

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
  if (/^(?:[0-9a-f]{2})+$/i.test(trimmed)) yield ['hex-decoded', Buffer.from(trimmed, 'hex')]
  if (/^[A-Za-z0-9+/_-]+={0,2}$/.test(trimmed) && trimmed.length >= 16)
    yield ['base64-decoded', Buffer.from(trimmed, 'base64')]
}

const retiredAt = ({ retireAtMs }: SigningKey, nowMs: number) => (retireAtMs <= nowMs ? retireAtMs : null)

/**
 * Finds the stored secret that signed the body as it arrived, with variants of signature and secret. A match is proof. Returns the one with
 * the fewest changes, active secrets before retired ones, or null.
 */
function findMatch(
  { body, receivedSignature }: KeptRefusal,
  keys: readonly SigningKey[],
  nowMs: number,
): RefusalMatch | null {
  if (!body || receivedSignature === null) return null
  const written = [...receivedForms(receivedSignature)]
  const matches = keys.flatMap((key) =>
    [...secretForms(key.secret())].flatMap(([secret, bytes]): RefusalMatch[] => {
      const signature = key.sign(body, bytes)
      const found = written.find(([, value]) => value === signature)
      return found
        ? [{ secretId: key.id, received: found[0], secret, retiredAtMs: retiredAt(key, nowMs) }]
        : []
    }),
  )
  const changesOf = (match: RefusalMatch) =>
    [match.received, match.secret].filter((form) => form !== 'as-is').length
  return (
    matches.sort((a, b) => changesOf(a) - changesOf(b) || (a.retiredAtMs ?? 0) - (b.retiredAtMs ?? 0))[0] ??
    null
  )
}

/** Cuts a real signature; shows anything else in full. */
const shown = (received: string) =>
  /^[0-9a-f]{64}$/.test(received) ? received.slice(0, shownDigits) : received

/** Details of a refused request, compared with the secrets at `nowMs`. */
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
  }
}
