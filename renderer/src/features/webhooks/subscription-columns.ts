import type { Subscription } from '#contract/live/webhooks.ts'
import { formatCount } from '../../shared/format/numbers.ts'
import { formatAge, formatTime, formatUtc } from '../../shared/format/time.ts'
import type { Column } from '../../shared/table/columns.ts'
import { visibleText } from '../../shared/text/visible-controls.ts'
import { eventsText, type SubscriptionHealth, statusText } from './subscription-health.ts'
import { t } from './webhooks.texts.ts'

export function secretText({ secretKnown, secretInMemory }: Subscription): string {
  if (!secretKnown) return t('fields.missing')
  return t(secretInMemory ? 'fields.inMemory' : 'fields.stored')
}

export const subscriptionColumns = (): Column<SubscriptionHealth>[] => [
  {
    id: 'url',
    title: t('fields.url'),
    width: 180,
    grow: 2,
    text: ({ subscription }) => subscription.url,
    hint: ({ subscription }) => visibleText(subscription.url),
  },
  {
    id: 'place',
    title: t('fields.place'),
    width: 104,
    hide: 3,
    muted: true,
    text: ({ place }) => place,
  },
  {
    id: 'events',
    title: t('fields.events'),
    width: 148,
    text: ({ subscription: { families } }) =>
      families.length === 0
        ? t('fields.unknown')
        : t(`fields.${families.length > 1 ? 'both' : families[0]!}`),
    hint: ({ subscription }) => eventsText(subscription.events),
  },
  {
    id: 'status',
    title: t('fields.status'),
    width: 72,
    hide: 2,
    text: ({ subscription }) => statusText(subscription.status),
  },
  {
    id: 'health',
    title: t('fields.health'),
    width: 200,
    grow: 2,
    status: ({ look }) => look,
    hint: ({ problems }) => problems.join('\n') || undefined,
  },
  {
    id: 'received',
    title: t('fields.received'),
    width: 92,
    hide: 1,
    numeric: true,
    text: ({ subscription: { arrived } }) => {
      if (!arrived) return t('fields.unknown')
      return arrived.lastAt ? formatCount(arrived.count) : t('fields.none')
    },
    hint: ({ subscription }) => t(subscription.arrived ? 'fields.receivedHint' : 'fields.noSecret'),
  },
  {
    id: 'last',
    title: t('fields.last'),
    width: 88,
    muted: true,
    text: ({ subscription: { arrived } }) => (arrived?.lastAt ? formatAge(arrived.lastAt) : null),
    hint: ({ subscription: { arrived } }) => (arrived?.lastAt ? formatUtc(arrived.lastAt) : undefined),
  },
  {
    id: 'secret',
    title: t('fields.secret'),
    width: 84,
    hide: 4,
    muted: true,
    text: ({ subscription }) => secretText(subscription),
  },
  {
    id: 'created',
    title: t('fields.created'),
    width: 104,
    hide: 5,
    muted: true,
    text: ({ subscription: { createdAt } }) => createdAt && formatTime(createdAt, 'minute'),
    hint: ({ subscription: { createdAt } }) => (createdAt ? formatUtc(createdAt) : undefined),
  },
]
