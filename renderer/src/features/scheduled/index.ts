import type { Feature } from '../../shared/features/feature.ts'
import { startCatalogue } from '../../shared/i18n/catalogue.ts'
import { listKeys } from '../../shared/list/list-keys.ts'
import type en from './index.en.json'

const t = startCatalogue<typeof en>('scheduled-page')

export default {
  id: 'scheduled',
  title: () => t('title'),
  icon: 'scheduled',
  order: 55,
  group: 'send',
  goKey: 'l',
  route: { path: '/scheduled', component: () => import('./ScheduledView.vue') },
  keys: () => ({ ...listKeys(t('row'), t('rows')), escape: t('close') }),
} satisfies Feature
