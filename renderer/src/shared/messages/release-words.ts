import type { MessageRelease, ReleaseState } from '#contract/views/messages.ts'
import { errorText } from '../i18n/core-texts.ts'
import { type StatusLook, statusLook, statusText } from '../format/status.ts'
import { t } from '../i18n/shared.texts.ts'

const looks = {
  waiting: { tone: 'quiet', icon: 'clock', text: 'waiting' },
  'in-flight': { tone: 'info', icon: 'sent', text: 'releasing' },
  released: { tone: 'ok', icon: 'check', text: 'released' },
  'not-held': { tone: 'quiet', icon: 'info', text: 'notHeld' },
  blocked: { tone: 'warn', icon: 'hand', text: 'blocked' },
  refused: { tone: 'bad', icon: 'cross', text: 'refused' },
  unknown: { tone: 'warn', icon: 'warning', text: 'unconfirmed' },
  failed: { tone: 'bad', icon: 'cross', text: 'notSent' },
} as const satisfies Record<ReleaseState, object>

export function releaseLook({ state }: Pick<MessageRelease, 'state'>): StatusLook {
  const { tone, icon, text } = looks[state]
  return { tone, icon, label: statusText(text) }
}

export function releaseSays(release: MessageRelease): string {
  const { state, statusAfter, serviceText: text, problem } = release
  const status = statusAfter === null ? t('message.statusUnknown') : statusLook('message', statusAfter).label
  switch (state) {
    case 'waiting':
      return t('message.notSentYet')
    case 'in-flight':
      return t('message.waiting')
    case 'released':
      return text === null ? t('message.released', { status }) : t('message.releasedSaid', { text, status })
    case 'not-held':
      return statusAfter === null ? t('message.alreadyReleased') : t('message.already', { status })
    case 'refused':
      return text === null ? t('message.refusedSilently', { status }) : t('message.refused', { text, status })
    case 'unknown':
      return t('message.unconfirmed', { status })
    case 'blocked':
    case 'failed':
      return problem ? errorText(problem) : t('message.notAsked')
  }
}
