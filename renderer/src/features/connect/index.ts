import { goTo } from '../../shared/commands/use-commands.ts'
import type { Feature } from '../../shared/features/feature.ts'
import { startCatalogue } from '../../shared/i18n/catalogue.ts'
import type en from './index.en.json'

const t = startCatalogue<typeof en>('connect-page')

export default {
  id: 'connect',
  title: () => t('title'),
  icon: 'connect',
  order: null,
  route: { path: '/connect', component: () => import('./ConnectView.vue') },
  commands: () => [goTo('/connect', 'connect.add', t('add'))],
} satisfies Feature
