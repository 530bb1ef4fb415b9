import type { OfflineVerdict } from '#contract/people/dnc.ts'
import { isPhrase } from '#contract/phrases.ts'
import { shownVerdict } from '../../shared/format/dnc-list.ts'
import { say } from '../../shared/i18n/core-texts.ts'
import type { IconName } from '../../shared/ui/icons.ts'
import { t } from './templates.texts.ts'

/** Whether a message may go to a checked number: `knowingly` if only an outdated DNC list speaks against it. With outdated team holds: `yes`, and the message waits. */
export function maySend(verdict: OfflineVerdict): 'yes' | 'knowingly' | 'no' {
  const shown = shownVerdict(verdict)
  const waits = isPhrase(verdict.reason) && verdict.reason.key === 'dnc.team-stale'
  if (shown === 'clear' || waits) return 'yes'
  return shown === 'not-known' ? 'knowingly' : 'no'
}

/** A verdict as a sentence. `name`: of the contact with this number, or empty. */
export function verdictText(verdict: OfflineVerdict, name: string): string {
  const { source, reason, phone, input, author } = verdict
  const number = phone ?? input
  const who = name === '' ? number : t('one.who', { phone: number, name })
  switch (shownVerdict(verdict)) {
    case 'unparsable':
      return t('one.invalid', { reason: say(reason ?? '') })
    case 'blocked':
      return t(author !== null ? 'one.heldBy' : source === 'hold' ? 'one.held' : 'one.blocked', {
        phone: number,
        name: author ?? '',
        reason: say(reason ?? t('one.noReason')),
      })
    case 'not-known':
      return t('one.unknown', { who })
    case 'maybe-listed':
      return t('one.maybe', { who, reason: say(reason ?? '') })
    case 'clear':
      return t('one.clear', { who })
  }
}

export function verdictLook(verdict: OfflineVerdict): { icon: IconName; tone: 'bad' | 'warn' | '' } {
  if (verdict.verdict === 'blocked') return { icon: 'ban', tone: 'bad' }
  if (maySend(verdict) === 'no') return { icon: 'warning', tone: 'warn' }
  return { icon: verdict.verdict === 'clear' ? 'check' : 'warning', tone: '' }
}
