/** The listener's reasons to turn a delivery away, as `listener.refusals` and the status name them. */
const words: Record<string, string> = {
  path: 'sent to another path',
  method: 'not a POST',
  browser: 'sent by a web page',
  length: 'has no body',
  'too-large': 'body is too large',
  'signature-missing': 'signature is missing',
  'signature-malformed': 'signature is not one',
  'signature-mismatch': 'signature does not match',
  'no-secret': 'no secret is known to check it',
  timeout: 'took too long',
  'headers-too-large': 'headers are too large',
  malformed: 'not HTTP that can be read',
  'too-many-connections': 'too many connections at once',
}

/** Why a delivery was refused, in words. A reason that is not known is shown as it came. */
export function refusalWords(reason: string): string {
  return Object.hasOwn(words, reason) ? words[reason]! : reason
}
