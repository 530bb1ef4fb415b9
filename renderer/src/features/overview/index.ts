import { goTo } from '../../shared/commands/use-commands.ts'
import type { Feature } from '../../shared/features/feature.ts'
import { startCatalogue } from '../../shared/i18n/catalogue.ts'
import type en from './index.en.json'

const t = startCatalogue<typeof en>('overview-page')

export default {
  id: 'overview',
  title: () => t('title'),
  icon: 'overview',
  order: 10,
  goKey: 'o',
  route: { path: '/overview', component: () => import('./OverviewView.vue') },
  commands: () => [goTo('/overview?gaps=show', 'overview.gaps', t('gaps'))],
  keys: () => ({ r: t('refresh') }),
} satisfies Feature
