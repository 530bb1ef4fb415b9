import type { Feature } from '../../shared/features/feature.ts'
import { startCatalogue } from '../../shared/i18n/catalogue.ts'
import type en from './index.en.json'

const t = startCatalogue<typeof en>('analytics-page')

export default {
  id: 'analytics',
  title: () => t('title'),
  icon: 'analytics',
  order: 90,
  group: 'insight',
  goKey: 'a',
  route: { path: '/analytics', component: () => import('./AnalyticsView.vue') },
  keys: () => ({ r: t('refresh'), 1: t('service'), 2: t('local') }),
} satisfies Feature
