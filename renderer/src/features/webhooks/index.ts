import type { Feature } from '../../shared/features/feature.ts'
import { startCatalogue } from '../../shared/i18n/catalogue.ts'
import type en from './index.en.json'

const t = startCatalogue<typeof en>('webhooks-page')

const keys = {
  j: 'next',
  k: 'previous',
  enter: 'open',
  r: 'refresh',
  n: 'new',
  escape: 'close',
} as const

export default {
  id: 'webhooks',
  get title() {
    return t('title')
  },
  icon: 'webhooks',
  order: 110,
  group: 'setup',
  goKey: 'w',
  route: { path: '/webhooks', component: () => import('./WebhooksView.vue') },
  commands: [],
  keys: Object.entries(keys).map(([key, name]) => ({
    keys: key,
    get title() {
      return t(name)
    },
  })),
} satisfies Feature
