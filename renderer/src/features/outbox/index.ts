import type { Feature } from '../../shared/features/feature.ts'
import { startCatalogue } from '../../shared/i18n/catalogue.ts'
import type en from './index.en.json'

const t = startCatalogue<typeof en>('outbox-page')

const keys = [
  ['j', 'next'],
  ['k', 'previous'],
  ['x', 'toggle'],
  ['a', 'all'],
  ['enter', 'open'],
  ['escape', 'close'],
  ['u', 'unconfirmed'],
  ['/', 'search'],
  ['r', 'refresh'],
] as const

export default {
  id: 'outbox',
  get title() {
    return t('title')
  },
  icon: 'outbox',
  order: 60,
  group: 'send',
  goKey: 'x',
  route: { path: '/outbox', component: () => import('./OutboxView.vue') },
  commands: [],
  keys: keys.map(([key, name]) => ({
    keys: key,
    get title() {
      return t(`keys.${name}`)
    },
  })),
} satisfies Feature
