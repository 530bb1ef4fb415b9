import { goTo, pageCommand } from '../../shared/commands/use-commands.ts'
import type { Feature } from '../../shared/features/feature.ts'
import { startCatalogue } from '../../shared/i18n/catalogue.ts'
import { listKeys } from '../../shared/list/list-keys.ts'
import type en from './index.en.json'

const t = startCatalogue<typeof en>('contacts-page')

export default {
  id: 'contacts',
  title: () => t('title'),
  icon: 'contacts',
  order: 70,
  group: 'audience',
  goKey: 'p',
  route: { path: '/contacts', component: () => import('./ContactsView.vue') },
  commands: () => [pageCommand('/contacts', 'contacts.new', t('keys.new'))],
  async search(text, client, signal) {
    const sort = { by: 'name', descending: false } as const
    const { items } = await client.contacts.list({ filter: { text }, sort, limit: 5 }, { signal })
    return items.map(({ id, name, phone }) =>
      goTo(`/contacts?contact=${id}`, `contacts.found.${id}`, name || phone, { detail: name ? phone : '' }),
    )
  },
  keys: () => ({
    ...listKeys(t('row'), t('rows')),
    x: t('keys.select'),
    a: t('keys.all'),
    n: t('keys.new'),
    e: t('keys.edit'),
    i: t('keys.import'),
    escape: t('keys.close'),
  }),
} satisfies Feature
