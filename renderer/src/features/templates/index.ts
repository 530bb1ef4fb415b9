import { goTo, pageCommand } from '../../shared/commands/use-commands.ts'
import type { Feature } from '../../shared/features/feature.ts'
import { startCatalogue } from '../../shared/i18n/catalogue.ts'
import { listKeys } from '../../shared/list/list-keys.ts'
import type en from './index.en.json'

const t = startCatalogue<typeof en>('templates-page')

export default {
  id: 'templates',
  title: () => t('title'),
  icon: 'templates',
  order: 50,
  group: 'send',
  goKey: 'y',
  route: { path: '/templates', component: () => import('./TemplatesView.vue') },
  commands: () => [
    pageCommand('/templates', 'templates.show.one', t('one')),
    pageCommand('/templates', 'templates.show.many', t('many')),
    pageCommand('/templates', 'templates.new', t('keys.new')),
  ],
  async search(text, client, signal) {
    const { items } = await client.templates.list({ text, limit: 5 }, { signal })
    return items.map(({ key, name, serviceId }) => {
      const title = name || serviceId || t('found', { key: String(key) })
      return goTo(`/templates?template=${key}`, `templates.found.${key}`, title)
    })
  },
  keys: () => ({
    n: t('keys.new'),
    a: t('keys.add'),
    '1 to 3': t('keys.tabs'),
    ...listKeys(t('row'), t('rows')),
  }),
} satisfies Feature
