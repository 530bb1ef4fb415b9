import type { Feature } from '../../shared/features/feature.ts'

export default {
  id: 'templates',
  title: 'Templates',
  icon: 'templates',
  order: 90,
  goKey: 'y',
  route: { path: '/templates', component: () => import('./TemplatesView.vue') },
  commands: [],
  keys: [
    { keys: 'n', title: 'New template' },
    { keys: 'a', title: 'Adopt a template by its id' },
    { keys: '1 to 3', title: 'Templates, send to one, send to many' },
  ],
} satisfies Feature
