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
    { keys: '/', title: 'Search' },
    { keys: 'j', title: 'Next scheduled message' },
    { keys: 'k', title: 'Previous scheduled message' },
    { keys: 'enter', title: 'Open details' },
    { keys: 'r', title: 'Refresh' },
    { keys: 'escape', title: 'Close details, clear day' },
  ],
} satisfies Feature
