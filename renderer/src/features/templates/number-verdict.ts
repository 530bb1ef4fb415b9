import type { OfflineVerdict } from '#contract/people/dnc.ts'
import { say } from '../../shared/i18n/core-texts.ts'
import type { IconName } from '../../shared/ui/icons.ts'
import { t } from './templates.texts.ts'

/** Whether a message may go to a checked number: `knowingly` if only an outdated DNC list speaks against it. */
export function maySend({ verdict, source }: OfflineVerdict): 'yes' | 'knowingly' | 'no' {
  if (verdict === 'clear') return 'yes'
  return verdict === 'not-known' && source === 'none' ? 'knowingly' : 'no'
}

/** A verdict as a sentence. `name`: of the contact with this number, or empty. */
export function verdictText({ verdict, source, reason, phone }: OfflineVerdict, name: string): string {
  const number = phone ?? ''
  const who = name === '' ? number : t('one.who', { phone: number, name })
  switch (verdict) {
    case 'unparsable':
      return t('one.invalid', { reason: say(reason ?? '') })
    case 'blocked':
      return t(source === 'hold' ? 'one.held' : 'one.blocked', {
        phone: number,
        reason: say(reason ?? t('one.noReason')),
      })
    case 'not-known':
      return source === 'none'
        ? t('one.unknown', { who })
        : t('one.maybe', { who, reason: say(reason ?? '') })
    case 'clear':
      return t('one.clear', { who })
  }
}

/** Its icon and colour. */
export function verdictLook(verdict: OfflineVerdict): { icon: IconName; tone: 'bad' | 'warn' | '' } {
  if (verdict.verdict === 'blocked') return { icon: 'ban', tone: 'bad' }
  if (maySend(verdict) === 'no') return { icon: 'warning', tone: 'warn' }
  return { icon: verdict.verdict === 'clear' ? 'check' : 'warning', tone: '' }
}
