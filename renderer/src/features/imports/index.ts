import type { Feature } from '../../shared/features/feature.ts'

export default {
  id: 'imports',
  title: 'Imports',
  icon: 'upload',
  order: null,
  within: 'contacts',
  route: { path: '/imports', component: () => import('./ImportsView.vue') },
  commands: [
    {
      id: 'imports.open',
      title: 'Import contacts from a file',
      run: ({ router }) => void router.push('/imports'),
    },
  ],
} satisfies Feature
