import { isNumberLike } from '#contract/number-text.ts'
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
  async search(text, client, signal) {
    if (!isNumberLike(text)) return []
    const { items } = await client.inbox.list({ text, limit: 3 }, { signal })
    return items.map(({ sender, number, contact }) => ({
      id: `inbox.found.${sender}`,
      title: t('open', { name: contact?.name || (number ?? sender) }),
      run: async ({ router }) => void (await router.push({ path: '/inbox', query: { sender } })),
    }))
  },
  keys: () => ({ ...listKeys(t('row'), t('rows')), u: t('unread'), a: t('assign'), e: t('done') }),
  waiting: {
    count: ({ unreadConversations }) => unreadConversations,
    get words() {
      return t('waiting')
    },
  },
} satisfies Feature
