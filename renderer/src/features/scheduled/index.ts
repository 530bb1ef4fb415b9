import type { Feature } from '../../shared/features/feature.ts'

export default {
  id: 'scheduled',
  title: 'Scheduled',
  icon: 'scheduled',
  order: 100,
  goKey: 'l',
  route: { path: '/scheduled', component: () => import('./ScheduledView.vue') },
  commands: [],
  keys: [
    { keys: '/', title: 'Focus the search' },
    { keys: 'j', title: 'Next scheduled message' },
    { keys: 'k', title: 'Previous scheduled message' },
    { keys: 'enter', title: 'Show the details' },
    { keys: 'r', title: 'Read the list again' },
    { keys: 'escape', title: 'Close the details, then the day' },
  ],
} satisfies Feature
