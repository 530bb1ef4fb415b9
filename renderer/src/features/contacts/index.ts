import type { Command } from '../../shared/commands/use-commands.ts'
import type { Feature } from '../../shared/features/feature.ts'
import { startCatalogue } from '../../shared/i18n/catalogue.ts'
import type en from './index.en.json'

const t = startCatalogue<typeof en>('contacts-page')

const keyNames = {
  '/': 'search',
  j: 'next',
  k: 'previous',
  enter: 'open',
  x: 'select',
  a: 'all',
  n: 'new',
  e: 'edit',
  i: 'import',
  r: 'refresh',
  escape: 'close',
} as const

export default {
  id: 'contacts',
  get title() {
    return t('title')
  },
  icon: 'contacts',
  order: 70,
  group: 'audience',
  goKey: 'p',
  route: { path: '/contacts', component: () => import('./ContactsView.vue') },
  commands: [],
  async search(text, client, signal) {
    const sort = { by: 'name', descending: false } as const
    const { items } = await client.contacts.list({ filter: { text }, sort, limit: 5 }, { signal })
    const open = (query: Record<string, string>): Command['run'] => {
      return async ({ router }) => void (await router.push({ path: '/contacts', query }))
    }
    return items.map(({ id, name, phone }) => ({
      id: `contacts.found.${id}`,
      title: name || phone,
      detail: name ? phone : '',
      run: open({ contact: String(id) }),
    }))
  },
  get keys() {
    return Object.entries(keyNames).map(([keys, name]) => ({ keys, title: t(`keys.${name}`) }))
  },
} satisfies Feature
