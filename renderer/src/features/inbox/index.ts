import { isNumberLike } from '#contract/number-text.ts'
import { goTo } from '../../shared/commands/use-commands.ts'
import type { Feature } from '../../shared/features/feature.ts'
import { startCatalogue } from '../../shared/i18n/catalogue.ts'
import { listKeys } from '../../shared/list/list-keys.ts'
import type en from './index.en.json'

const t = startCatalogue<typeof en>('inbox-page')

export default {
  id: 'inbox',
  title: () => t('title'),
  icon: 'inbox',
  order: 30,
  goKey: 'i',
  route: { path: '/inbox', component: () => import('./InboxView.vue') },
  async search(text, client, signal) {
    if (!isNumberLike(text)) return []
    const { items } = await client.inbox.list({ text, limit: 3 }, { signal })
    return items.map(({ sender, number, contact }) => {
      const title = t('open', { name: contact?.name || (number ?? sender) })
      return goTo({ path: '/inbox', query: { sender } }, `inbox.found.${sender}`, title)
    })
  },
  keys: () => ({ ...listKeys(t('row'), t('rows')), u: t('unread'), a: t('assign'), e: t('done') }),
  waiting: {
    count: ({ unreadConversations }) => unreadConversations,
    words: () => t('waiting'),
  },
} satisfies Feature
