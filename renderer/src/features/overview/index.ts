import type { Feature } from '../../shared/features/feature.ts'

export default {
  id: 'overview',
  title: 'Overview',
  icon: 'overview',
  order: 10,
  goKey: 'o',
  route: { path: '/overview', component: () => import('./OverviewView.vue') },
  commands: [],
  keys: [{ keys: 'r', title: 'Read the figures again' }],
} satisfies Feature
