import type { Feature } from '../../shared/features/feature.ts'
import { startCatalogue } from '../../shared/i18n/catalogue.ts'
import { listKeys } from '../../shared/list/list-keys.ts'
import type en from './index.en.json'

const t = startCatalogue<typeof en>('campaigns-page')

export default {
  id: 'campaigns',
  get title() {
    return t('title')
  },
  icon: 'campaigns',
  order: 40,
  group: 'send',
  goKey: 'c',
  route: { path: '/campaigns', component: () => import('./CampaignsView.vue') },
  commands: [],
  async search(text, client, signal) {
    const { items } = await client.campaigns.list({ perPage: 100, poll: true }, { signal })
    const words = text.toLowerCase()
    return items
      .filter(({ id, name }) => id.toLowerCase() === words || name?.toLowerCase().includes(words))
      .slice(0, 5)
      .map(({ id, name, status }) => ({
        id: `campaigns.found.${id}`,
        title: name ?? id,
        detail: status ?? '',
        run: async ({ router }) => void (await router.push({ path: '/campaigns', query: { id } })),
      }))
  },
  keys: () => listKeys(t('row'), t('rows'), false),
} satisfies Feature
