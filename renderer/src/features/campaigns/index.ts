import type { Feature } from '../../shared/features/feature.ts'

export default {
  id: 'campaigns',
  title: 'Campaigns',
  icon: 'campaigns',
  order: 40,
  goKey: 'c',
  route: { path: '/campaigns', component: () => import('./CampaignsView.vue') },
  commands: [],
  keys: [{ keys: 'r', title: 'Refresh the campaigns' }],
} satisfies Feature
