import type { Feature } from '../../shared/features/feature.ts'

export default {
  id: 'overview',
  title: 'Overview',
  icon: 'overview',
  order: 10,
  goKey: 'o',
  route: { path: '/overview', component: () => import('./OverviewView.vue') },
  commands: [
    {
      id: 'overview.holes',
      title: 'Show the holes in the record, to read again what they may have cost',
      run: async ({ router }) => void (await router.push({ path: '/overview', query: { holes: 'show' } })),
    },
  ],
  keys: [{ keys: 'r', title: 'Read the figures again' }],
} satisfies Feature
