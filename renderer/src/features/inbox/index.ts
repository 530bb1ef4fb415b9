import type { Feature } from '../../shared/features/feature.ts'
import { startCatalogue } from '../../shared/i18n/catalogue.ts'
import type en from './index.en.json'

const t = startCatalogue<typeof en>('inbox-page')

const keys = {
  '/': 'search',
  j: 'next',
  k: 'previous',
  enter: 'open',
  u: 'unread',
  r: 'refresh',
  escape: 'close',
} as const

export default {
  id: 'inbox',
  get title() {
    return t('title')
  },
  icon: 'inbox',
  order: 30,
  goKey: 'i',
  route: { path: '/inbox', component: () => import('./InboxView.vue') },
  commands: [],
  keys: Object.entries(keys).map(([key, name]) => ({
    keys: key,
    get title() {
      return t(name)
    },
  })),
  waiting: {
    count: ({ unreadConversations }) => unreadConversations,
    get words() {
      return t('waiting')
    },
  },
} satisfies Feature
