import type { Command } from '../../shared/commands/use-commands.ts'
import type { Feature } from '../../shared/features/feature.ts'
import { startCatalogue } from '../../shared/i18n/catalogue.ts'
import type en from './index.en.json'
import { allSections, sectionWords } from './sections.ts'

const t = startCatalogue<typeof en>('settings-page')

const openSection = ({ id: section, ...rest }: (typeof allSections)[number]): Command => ({
  id: `settings.${section}`,
  get title() {
    return t(section)
  },
  get words() {
    return sectionWords(section)
  },
  ...('needs' in rest ? { needs: rest.needs } : {}),
  run: async ({ router }) => void (await router.push({ path: '/settings', query: { section } })),
})

export default {
  id: 'settings',
  get title() {
    return t('title')
  },
  icon: 'settings',
  order: 120,
  group: 'setup',
  goKey: 's',
  route: { path: '/settings', component: () => import('./SettingsView.vue') },
  commands: allSections.map(openSection),
} satisfies Feature
