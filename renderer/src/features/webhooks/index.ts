import type { Feature } from '../../shared/features/feature.ts'

export default {
  id: 'webhooks',
  title: 'Webhooks',
  icon: 'webhooks',
  order: 120,
  goKey: 'w',
  route: { path: '/webhooks', component: () => import('./WebhooksView.vue') },
  commands: [],
  keys: [
    { keys: 'r', title: 'Read the subscriptions again' },
    { keys: 'n', title: 'New subscription' },
  ],
} satisfies Feature
