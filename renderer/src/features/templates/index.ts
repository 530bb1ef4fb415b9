import type { Feature } from '../../shared/features/feature.ts'
import { startCatalogue } from '../../shared/i18n/catalogue.ts'
import type en from './index.en.json'

const t = startCatalogue<typeof en>('templates-page')

const keys = [
  ['n', 'new'],
  ['a', 'add'],
  ['1 to 3', 'tabs'],
  ['j', 'next'],
  ['k', 'previous'],
  ['enter', 'open'],
  ['escape', 'close'],
  ['/', 'search'],
] as const

export default {
  id: 'templates',
  get title() {
    return t('title')
  },
  icon: 'templates',
  order: 50,
  group: 'send',
  goKey: 'y',
  route: { path: '/templates', component: () => import('./TemplatesView.vue') },
  commands: [],
  async search(text, client, signal) {
    const { items } = await client.templates.list({ text, limit: 5 }, { signal })
    return items.map(({ key, name, serviceId }) => ({
      id: `templates.found.${key}`,
      title: name || serviceId || t('found', { key: String(key) }),
      run: async ({ router }) =>
        void (await router.push({ path: '/templates', query: { template: String(key) } })),
    }))
  },
  keys: keys.map(([key, name]) => ({
    keys: key,
    get title() {
      return t(`keys.${name}`)
    },
  })),
} satisfies Feature
