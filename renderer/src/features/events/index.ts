import { isNumberLike } from '#contract/number-text.ts'
import type { Feature } from '../../shared/features/feature.ts'
import { actionCommands } from './event-actions.ts'

export default {
  id: 'events',
  title: 'Live events',
  icon: 'events',
  order: 20,
  goKey: 'e',
  route: { path: '/events', component: () => import('./EventsView.vue') },
  commands: actionCommands,
  findText: (text) => ({
    id: 'events.find',
    title: `Find “${text}” in events`,
    run: async ({ router }) =>
      void (await router.push({ path: '/events', query: isNumberLike(text) ? { number: text } : { text } })),
  }),
  keys: [
    { keys: 'j', title: 'Next event' },
    { keys: 'k', title: 'Previous event' },
    { keys: 'enter', title: 'Open the event' },
    { keys: 'm', title: 'Open the message of the event' },
    { keys: 'escape', title: 'Close the details' },
    { keys: 'space', title: 'Pause or resume the view or replay' },
    { keys: 'f', title: 'Follow new events' },
    { keys: '/', title: 'Focus the filter' },
  ],
} satisfies Feature
