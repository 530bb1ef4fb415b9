import type { RefusalDetail } from '#contract/listener.ts'

type Match = NonNullable<RefusalDetail['match']>

const ofBody: Record<Exclude<Match['body'], 'as-is'>, string> = {
  'without-byte-order-mark': 'a byte order mark was put before it',
  'with-byte-order-mark': 'its byte order mark was taken off',
  'without-blanks-around': 'blanks or line ends were put around it',
  'with-line-end': 'its line end was taken off',
  'other-line-ends': 'its line ends were changed',
  'other-character-set': 'its characters were converted to another character set',
  'other-json': 'the same values were written as JSON anew, with other blanks or escapes',
  'other-key-order': 'the same values were written as JSON anew, with the keys in another order',
}

const ofSecret: Record<Exclude<Match['secret'], 'as-is'>, (label: string) => string> = {
  'without-blanks': (label) =>
    `The sender uses the secret “${label}” without the blanks around it that are stored here. Add it again without them.`,
  'with-line-end': (label) =>
    `The sender uses the secret “${label}” with a line end behind it. Set it at the service again without the line end.`,
  'hex-decoded': (label) =>
    `The sender uses the bytes that the secret “${label}” stands for in hexadecimal. This service signs with the text itself: the sender is not set up as the service is.`,
  'base64-decoded': (label) =>
    `The sender uses the bytes that the secret “${label}” stands for in base64. This service signs with the text itself: the sender is not set up as the service is.`,
}

const ofReceived: Record<Exclude<Match['received'], 'as-is'>, string> = {
  decorated:
    'The signature itself is right, but something stands around it. The service sends 64 digits alone.',
  'upper-case':
    'The signature itself is right, but its digits were changed to upper case. The service sends lowercase.',
  base64: 'The signature itself is right, but written in base64. The service sends hexadecimal digits.',
}

const ofHint: Record<RefusalDetail['hints'][number], string> = {
  compressed: 'it came compressed (Content-Encoding), and the service sends plain JSON',
  proxied: 'it came through a proxy, which says so in a header',
  'not-json-type': 'its Content-Type is not JSON',
  empty: 'its body is empty',
  'byte-order-mark': 'its body begins with a byte order mark',
  'broken-characters': 'its body holds bytes that are no text in UTF-8',
  'not-json': 'its body is not JSON',
  'not-compact': 'its JSON is not written the shortest way, as a program that wrote it anew may leave it',
}

const nobodysSignature =
  'No secret that is stored here made this signature, for this body or for one that was written anew in a usual way. Either the service signs with a secret that is not stored here, or the body was changed on its way, or the delivery is forged.'

/** What made the signature, and what to do, as sentences. Empty where no signature was checked. */
export function matchSentences(
  { match, reason, receivedSignature, untried }: RefusalDetail,
  timeOf: (iso: string) => string,
) {
  const isOfSignature = reason === 'signature-mismatch' || reason === 'signature-malformed'
  if (!match) {
    if (receivedSignature === null) return []
    const labels = untried.map((label) => `“${label}”`).join(', ')
    return [
      ...(isOfSignature ? [nobodysSignature] : []),
      ...(untried.length === 1
        ? [`${labels} could not be tried: its value is not known here. Add it again under the same label.`]
        : []),
      ...(untried.length > 1
        ? [
            `${labels} could not be tried: their values are not known here. Add them again under the same labels.`,
          ]
        : []),
    ]
  }
  const said: string[] = []
  if (match.received !== 'as-is') said.push(ofReceived[match.received])
  if (match.secret !== 'as-is') said.push(ofSecret[match.secret](match.label))
  if (match.body !== 'as-is')
    said.push(
      `The body was changed on its way: ${ofBody[match.body]}. Something between the service and this console reads and writes bodies; have it pass them on byte for byte.`,
    )
  if (match.retiredAt !== null)
    said.push(
      `It was made with the secret “${match.label}”, which was retired ${timeOf(match.retiredAt)}. If the service still signs with it, add it again.`,
    )
  else if (said.length === 0)
    said.push(
      `The secret “${match.label}” makes exactly this signature. It was added later: deliveries are accepted now.`,
    )
  else if (match.secret === 'as-is') said.push(`It was made with the secret “${match.label}”.`)
  return said
}

/** What speaks of a change on the way, as one sentence; empty without any. */
export function hintSentence(hints: RefusalDetail['hints']): string {
  return hints.length === 0 ? '' : `Of this request: ${hints.map((hint) => ofHint[hint]).join('; ')}.`
}
