import { goTo } from '../../shared/commands/use-commands.ts'
import type { Feature } from '../../shared/features/feature.ts'
import { startCatalogue } from '../../shared/i18n/catalogue.ts'
import type en from './index.en.json'

const t = startCatalogue<typeof en>('imports-page')

export default {
  id: 'imports',
  title: () => t('title'),
  icon: 'upload',
  order: null,
  within: 'contacts',
  route: { path: '/imports', component: () => import('./ImportsView.vue') },
  commands: () => [goTo('/imports', 'imports.open', t('open'))],
} satisfies Feature
