import type { Feature } from '../../shared/features/feature.ts'
import { loadCatalogue } from '../../shared/i18n/catalogue.ts'
import type en from './index.en.json'

const t = await loadCatalogue<typeof en>(
  'connect-page',
  import.meta.glob('./index.*.json', { import: 'default' }),
)

export default {
  id: 'connect',
  get title() {
    return t('title')
  },
  icon: 'connect',
  order: null,
  route: { path: '/connect', component: () => import('./ConnectView.vue') },
  commands: [
    {
      id: 'connect.add',
      get title() {
        return t('add')
      },
      run: async ({ router }) => void (await router.push('/connect')),
    },
  ],
} satisfies Feature
