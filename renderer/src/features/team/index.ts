import type { Feature } from '../../shared/features/feature.ts'
import { startCatalogue } from '../../shared/i18n/catalogue.ts'
import { listKeys } from '../../shared/list/list-keys.ts'
import type en from './index.en.json'

const t = startCatalogue<typeof en>('team-page')

export default {
  id: 'team',
  title: () => t('title'),
  icon: 'team',
  order: 115,
  group: 'setup',
  goKey: 'u',
  route: { path: '/team', component: () => import('./TeamView.vue') },
  keys: () => listKeys(t('row'), t('rows'), false),
} satisfies Feature
