import { isNumberLike } from '#contract/number-text.ts'
import { goTo } from '../../shared/commands/use-commands.ts'
import type { Feature } from '../../shared/features/feature.ts'
import { listKeys } from '../../shared/list/list-keys.ts'
import { actionCommands } from './event-actions.ts'
import { t } from './index.texts.ts'

export default {
  id: 'events',
  title: () => t('title'),
  icon: 'events',
  order: 20,
  goKey: 'e',
  route: { path: '/events', component: () => import('./EventsView.vue') },
  commands: actionCommands,
  findText(text) {
    const query = isNumberLike(text) ? { number: text } : { text }
    return goTo({ path: '/events', query }, 'events.find', t('find', { text }))
  },
  keys: () => ({
    ...listKeys(t('row'), t('rows')),
    m: t('message'),
    space: t('pause'),
    f: t('follow'),
  }),
} satisfies Feature
