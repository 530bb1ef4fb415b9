import type { TeamChange } from '#contract/live/team.ts'
import type { RouteLocationRaw } from 'vue-router'
import { phoneGroups } from '../../shared/format/phone.ts'
import { formatAge, formatUtc } from '../../shared/format/time.ts'
import type { Column } from '../../shared/table/columns.ts'
import { visibleText } from '../../shared/text/visible-controls.ts'
import { t } from './team.texts.ts'

/** What can be removed again. A newer version may remove other things. */
const removable = [
  ...(['hold', 'note', 'number-note', 'error-note'] as const),
  ...(['contact-filter', 'event-filter', 'alert-rule', 'default-rule'] as const),
]

/** Its text is the campaign's name. */
const isPause = ({ what }: TeamChange) => what === 'auto-pause'

/** What someone did, such as "Put +14155550101 on hold". */
export function changeText(change: TeamChange): string {
  const { what, about, text, count, isRemoved } = change
  if (what === 'sent') return t('what.sent', { n: count })
  const named = what === 'alert-rule' && about === '' ? 'default-rule' : what
  const name = isPause(change) && text !== '' ? text : about
  // The number of an erased hold, or of one that was removed before this computer read it, is unknown.
  const values = { about: phoneGroups(name)?.join(' ') ?? (visibleText(name) || t('aNumber')) }
  if (!isRemoved) return t(`what.${named}`, values)
  const removed = removable.find((one) => one === named)
  return removed ? t(`removed.${removed}`, values) : t('what.other')
}

/** The reason of a hold, or a note. */
export const detailText = (change: TeamChange): string => (isPause(change) ? '' : change.text)

/** An opt-out message puts its number on hold, not the person whose computer read it. */
export const whoText = ({ by, what }: TeamChange): string =>
  what === 'opt-out' || what === 'possible-opt-out' ? t(what) : (by ?? t('yourself'))

/** Where what was changed is shown; null for what no page shows. */
export function placeOf({ what, about, isRemoved }: TeamChange): RouteLocationRaw | null {
  switch (what) {
    case 'hold':
    case 'opt-out':
    case 'possible-opt-out':
      return isRemoved ? null : { path: '/dnc', query: { tab: 'holds', text: about } }
    case 'assigned':
    case 'done':
    case 'open':
    case 'note':
      return { path: '/inbox', query: { sender: about.replace(/^\+/, '') } }
    case 'number-note':
      return { path: '/contacts', query: { text: about } }
    case 'error-note':
      return { path: '/error-codes', query: { code: about } }
    case 'contact-filter':
      return '/contacts'
    case 'event-filter':
      return '/events'
    case 'alert-rule':
    case 'auto-pause':
      return about === '' ? '/campaigns' : { path: '/campaigns', query: { id: about } }
    default:
      return null
  }
}

export const changeColumns = (): Column<TeamChange>[] => [
  {
    id: 'when',
    title: t('columns.when'),
    width: 96,
    muted: true,
    text: ({ at }) => formatAge(at),
    hint: ({ at }) => formatUtc(at),
  },
  { id: 'who', title: t('columns.who'), width: 110, grow: 1, text: whoText },
  { id: 'what', title: t('columns.what'), width: 260, grow: 3, text: changeText, hint: changeText },
  {
    id: 'text',
    title: t('columns.text'),
    width: 140,
    grow: 2,
    hide: 1,
    muted: true,
    text: detailText,
    hint: (change) => visibleText(detailText(change)) || undefined,
  },
]
