import type { Feature } from '../../shared/features/feature.ts'
import { startCatalogue } from '../../shared/i18n/catalogue.ts'
import type en from './index.en.json'

const t = startCatalogue<typeof en>('imports-page')

export default {
  id: 'imports',
  get title() {
    return t('title')
  },
  icon: 'upload',
  order: null,
  within: 'contacts',
  route: { path: '/imports', component: () => import('./ImportsView.vue') },
  commands: [
    {
      id: 'imports.open',
      get title() {
        return t('open')
      },
      run: ({ router }) => void router.push('/imports'),
    },
  ],
} satisfies Feature
