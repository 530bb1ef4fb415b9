import type { Feature } from '../../shared/features/feature.ts'
import { startCatalogue } from '../../shared/i18n/catalogue.ts'
import { listKeys } from '../../shared/list/list-keys.ts'
import type en from './index.en.json'

const t = startCatalogue<typeof en>('inbox-page')

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
  keys: () => ({ ...listKeys(t('row'), t('rows')), u: t('unread'), a: t('assign'), e: t('done') }),
  waiting: {
    count: ({ unreadConversations }) => unreadConversations,
    get words() {
      return t('waiting')
    },
  },
} satisfies Feature
