import type { Feature } from '../../shared/features/feature.ts'
import { startCatalogue } from '../../shared/i18n/catalogue.ts'
import type en from './index.en.json'

const t = startCatalogue<typeof en>('analytics-page')

const key = (keys: string, text: 'refresh' | 'service' | 'local') => ({
  keys,
  get title() {
    return t(text)
  },
})

export default {
  id: 'analytics',
  get title() {
    return t('title')
  },
  icon: 'analytics',
  order: 90,
  group: 'insight',
  goKey: 'a',
  route: { path: '/analytics', component: () => import('./AnalyticsView.vue') },
  commands: [],
  keys: [key('r', 'refresh'), key('1', 'service'), key('2', 'local')],
} satisfies Feature
