import { goTo } from '../../shared/commands/use-commands.ts'
import type { Feature } from '../../shared/features/feature.ts'
import { startCatalogue } from '../../shared/i18n/catalogue.ts'
import type en from './index.en.json'

const t = startCatalogue<typeof en>('connections-page')

/** Opened from the connection menu and the palette. */
export default {
  id: 'connections',
  title: () => t('title'),
  icon: 'connect',
  order: null,
  route: { path: '/connections', component: () => import('./ConnectionsView.vue') },
  commands: () => [goTo('/connections', 'connections.open', t('title'))],
} satisfies Feature
