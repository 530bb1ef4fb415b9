import { goTo } from '../../shared/commands/use-commands.ts'
import type { Feature } from '../../shared/features/feature.ts'
import { startCatalogue } from '../../shared/i18n/catalogue.ts'
import type en from './index.en.json'
import { allSections, sectionWords } from './sections.ts'

const t = startCatalogue<typeof en>('settings-page')

const openSection = ({ id, ...rest }: (typeof allSections)[number]) =>
  goTo(`/settings?section=${id}`, `settings.${id}`, t(id), {
    words: sectionWords(id),
    ...('needs' in rest ? { needs: rest.needs } : {}),
  })

export default {
  id: 'settings',
  title: () => t('title'),
  icon: 'settings',
  order: 120,
  group: 'setup',
  goKey: 's',
  route: { path: '/settings', component: () => import('./SettingsView.vue') },
  commands: () => allSections.map(openSection),
} satisfies Feature
