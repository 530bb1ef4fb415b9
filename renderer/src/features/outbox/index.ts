import type { Feature } from '../../shared/features/feature.ts'

export default {
  id: 'outbox',
  title: 'Outbox',
  icon: 'outbox',
  order: 70,
  goKey: 'x',
  route: { path: '/outbox', component: () => import('./OutboxView.vue') },
  commands: [],
  keys: [
    { keys: 'j', title: 'Next item' },
    { keys: 'k', title: 'Previous item' },
    { keys: 'x', title: 'Choose the item, or not' },
    { keys: 'a', title: 'Choose everything that matches' },
    { keys: 'enter', title: 'Open the item' },
    { keys: 'escape', title: 'Close the details, then choose nothing' },
    { keys: 'u', title: 'Show those with an unknown outcome' },
    { keys: '/', title: 'Focus the filter' },
  ],
} satisfies Feature
