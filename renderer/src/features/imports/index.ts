import type { Feature } from '../../shared/features/feature.ts'
import { loadCatalogue } from '../../shared/i18n/catalogue.ts'
import type en from './index.en.json'

const t = await loadCatalogue<typeof en>(
  'imports-page',
  import.meta.glob('./index.*.json', { import: 'default' }),
)

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
