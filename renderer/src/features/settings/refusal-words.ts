import type { RefusalDetail } from '#contract/live/listener.ts'
import { say } from '../../shared/i18n/core-texts.ts'
import { t } from './settings.texts.ts'

/** What made the signature, and what to do, as sentences. Empty if no signature was checked. */
export function matchSentences(
  { match, reason, receivedSignature, untried }: RefusalDetail,
  timeOf: (iso: string) => string,
): string[] {
  if (!match) {
    if (receivedSignature === null) return []
    const isOfSignature = reason === 'signature-mismatch' || reason === 'signature-malformed'
    const labels = untried.map((label) => `“${label}”`).join(', ')
    return [
      ...(isOfSignature ? [t('rejection.unknownSigner')] : []),
      ...(untried.length > 0 ? [t('rejection.untried', { n: untried.length, labels })] : []),
    ]
  }
  const { received, retiredAt, secret } = match
  const label = say(match.label)
  const said: string[] = []
  if (received !== 'as-is') said.push(t(`rejection.received.${received}`))
  if (secret !== 'as-is') said.push(t(`rejection.secret.${secret}`, { label }))
  if (retiredAt !== null) said.push(t('rejection.retired', { label, time: timeOf(retiredAt) }))
  else if (said.length === 0) said.push(t('rejection.addedLater', { label }))
  else if (secret === 'as-is') said.push(t('rejection.signedWith', { label }))
  return said
}

/** Signs of a change on the way, as one sentence, or empty. */
export function hintSentence(hints: RefusalDetail['hints']): string {
  if (hints.length === 0) return ''
  return t('rejection.hints', { hints: hints.map((hint) => t(`rejection.hint.${hint}`)).join('; ') })
}
