import { goTo } from '../../shared/commands/use-commands.ts'
import type { Feature } from '../../shared/features/feature.ts'
import { startCatalogue } from '../../shared/i18n/catalogue.ts'
import { listKeys } from '../../shared/list/list-keys.ts'
import { withoutInvisible } from '../../shared/text/without-invisible.ts'
import type en from './index.en.json'

const t = startCatalogue<typeof en>('messages-page')

/** Text that may be a message id: 8 to 128 characters with at least one digit. */
const messageId = /^(?=.*\d)[\da-z][\da-z_-]{7,127}$/i

export default {
  id: 'messages',
  title: () => t('title'),
  icon: 'messages',
  order: 45,
  group: 'send',
  goKey: 'm',
  route: { path: '/messages', component: () => import('./MessagesView.vue') },
  search(text) {
    const id = withoutInvisible(text).trim()
    const open = () => goTo({ path: '/messages', query: { id } }, 'messages.look-up', t('lookUp', { id }))
    return Promise.resolve(messageId.test(id) ? [open()] : [])
  },
  keys: () => ({
    ...listKeys(t('row'), t('rows')),
    '/': t('keys.search'),
    x: t('keys.select'),
    escape: t('keys.close'),
  }),
} satisfies Feature
