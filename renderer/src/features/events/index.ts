import type { Feature } from '../../shared/features/feature.ts'

export default {
  id: 'events',
  title: 'Live events',
  icon: 'events',
  order: 20,
  goKey: 'e',
  route: { path: '/events', component: () => import('./EventsView.vue') },
  commands: [],
} satisfies Feature
