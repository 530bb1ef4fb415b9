import type { Feature } from '../../shared/features/feature.ts'

export default {
  id: 'error-codes',
  title: 'Error codes',
  icon: 'codes',
  order: 130,
  goKey: 'r',
  route: { path: '/error-codes', component: () => import('./ErrorCodesView.vue') },
  commands: [],
  keys: [
    { keys: 'j', title: 'Next code' },
    { keys: 'k', title: 'Previous code' },
    { keys: 'escape', title: 'Close the card' },
    { keys: '/', title: 'Focus the search' },
  ],
} satisfies Feature
