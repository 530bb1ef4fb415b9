import type { Feature } from '../../shared/features/feature.ts'
import { startCatalogue } from '../../shared/i18n/catalogue.ts'
import type en from './index.en.json'

const t = startCatalogue<typeof en>('overview-page')

export default {
  id: 'overview',
  get title() {
    return t('title')
  },
  icon: 'overview',
  order: 10,
  goKey: 'o',
  route: { path: '/overview', component: () => import('./OverviewView.vue') },
  commands: [
    {
      id: 'overview.gaps',
      get title() {
        return t('gaps')
      },
      run: async ({ router }) => void (await router.push({ path: '/overview', query: { gaps: 'show' } })),
    },
  ],
  keys: () => ({ r: t('refresh') }),
} satisfies Feature
