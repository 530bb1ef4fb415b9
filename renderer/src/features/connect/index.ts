import type { Feature } from '../../shared/features/feature.ts'
import { startCatalogue } from '../../shared/i18n/catalogue.ts'
import type en from './index.en.json'

const t = startCatalogue<typeof en>('connect-page')

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
