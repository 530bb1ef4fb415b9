import type { Feature } from '../../shared/features/feature.ts'
import { startCatalogue } from '../../shared/i18n/catalogue.ts'
import type en from './index.en.json'

const t = startCatalogue<typeof en>('connections-page')

/** Opened from the connection menu and the palette. */
export default {
  id: 'connections',
  get title() {
    return t('title')
  },
  icon: 'connect',
  order: null,
  route: { path: '/connections', component: () => import('./ConnectionsView.vue') },
  commands: [
    {
      id: 'connections.open',
      get title() {
        return t('title')
      },
      run: ({ router }) => void router.push('/connections'),
    },
  ],
} satisfies Feature
