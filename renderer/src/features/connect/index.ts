import type { Feature } from '../../shared/features/feature.ts'

export default {
  id: 'connect',
  title: 'Connect',
  icon: 'connect',
  order: null,
  route: { path: '/connect', component: () => import('./ConnectView.vue') },
  commands: [
    {
      id: 'connect.add',
      title: 'Add a connection',
      run: async ({ router }) => void (await router.push('/connect')),
    },
  ],
} satisfies Feature
