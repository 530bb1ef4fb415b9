import type { Feature } from '../../shared/features/feature.ts'

export default {
  id: 'settings',
  title: 'Settings',
  icon: 'settings',
  order: 140,
  goKey: 's',
  route: { path: '/settings', component: () => import('./SettingsView.vue') },
  commands: [],
} satisfies Feature
