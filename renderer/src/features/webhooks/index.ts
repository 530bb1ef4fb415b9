import { pageCommand } from '../../shared/commands/use-commands.ts'
import type { Feature } from '../../shared/features/feature.ts'
import { startCatalogue } from '../../shared/i18n/catalogue.ts'
import { listKeys } from '../../shared/list/list-keys.ts'
import type en from './index.en.json'

const t = startCatalogue<typeof en>('webhooks-page')

export default {
  id: 'webhooks',
  title: () => t('title'),
  icon: 'webhooks',
  order: 110,
  group: 'setup',
  goKey: 'w',
  route: { path: '/webhooks', component: () => import('./WebhooksView.vue') },
  commands: () => [pageCommand('/webhooks', 'webhooks.new', t('new'))],
  keys: () => ({ ...listKeys(t('row'), t('rows'), false), n: t('new') }),
} satisfies Feature
