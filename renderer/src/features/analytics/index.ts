import type { Feature } from '../../shared/features/feature.ts'

export default {
  id: 'analytics',
  title: 'Analytics',
  icon: 'analytics',
  order: 110,
  goKey: 'a',
  route: { path: '/analytics', component: () => import('./AnalyticsView.vue') },
  commands: [],
  keys: [
    { keys: 'r', title: 'Read the figures again' },
    { keys: '1', title: 'Figures of the service' },
    { keys: '2', title: 'Events kept here' },
  ],
} satisfies Feature
