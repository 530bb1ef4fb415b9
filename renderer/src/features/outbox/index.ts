import { goTo } from '../../shared/commands/use-commands.ts'
import type { Feature } from '../../shared/features/feature.ts'
import { startCatalogue } from '../../shared/i18n/catalogue.ts'
import { listKeys } from '../../shared/list/list-keys.ts'
import type en from './index.en.json'

const t = startCatalogue<typeof en>('outbox-page')

export default {
  id: 'outbox',
  title: () => t('title'),
  icon: 'outbox',
  order: 60,
  group: 'send',
  goKey: 'x',
  route: { path: '/outbox', component: () => import('./OutboxView.vue') },
  findText: (text) => goTo({ path: '/outbox', query: { text } }, 'outbox.find', t('find', { text })),
  keys: () => ({
    ...listKeys(t('row'), t('rows')),
    x: t('keys.toggle'),
    a: t('keys.all'),
    u: t('keys.unconfirmed'),
    escape: t('keys.close'),
  }),
} satisfies Feature
