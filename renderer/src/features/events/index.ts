import { isNumberLike } from '#contract/number-text.ts'
import type { Feature } from '../../shared/features/feature.ts'
import { actionCommands } from './event-actions.ts'
import { t } from './index.texts.ts'

const keys = {
  j: 'next',
  k: 'previous',
  enter: 'open',
  m: 'message',
  escape: 'close',
  space: 'pause',
  f: 'follow',
  '/': 'search',
  r: 'refresh',
} as const

export default {
  id: 'events',
  get title() {
    return t('title')
  },
  icon: 'events',
  order: 20,
  goKey: 'e',
  route: { path: '/events', component: () => import('./EventsView.vue') },
  commands: actionCommands,
  findText: (text) => ({
    id: 'events.find',
    title: t('find', { text }),
    run: async ({ router }) =>
      void (await router.push({ path: '/events', query: isNumberLike(text) ? { number: text } : { text } })),
  }),
  keys: Object.entries(keys).map(([key, name]) => ({
    keys: key,
    get title() {
      return t(name)
    },
  })),
} satisfies Feature
