import type { Feature } from '../../shared/features/feature.ts'
import { startCatalogue } from '../../shared/i18n/catalogue.ts'
import type en from './index.en.json'

const t = startCatalogue<typeof en>('scheduled-page')

const keys = {
  '/': 'search',
  j: 'next',
  k: 'previous',
  enter: 'open',
  r: 'refresh',
  escape: 'close',
} as const

export default {
  id: 'scheduled',
  get title() {
    return t('title')
  },
  icon: 'scheduled',
  order: 55,
  group: 'send',
  goKey: 'l',
  route: { path: '/scheduled', component: () => import('./ScheduledView.vue') },
  commands: [],
  keys: Object.entries(keys).map(([key, text]) => ({
    keys: key,
    get title() {
      return t(text)
    },
  })),
} satisfies Feature
