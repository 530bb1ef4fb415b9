import type { Command } from '../../shared/commands/use-commands.ts'
import type { Feature } from '../../shared/features/feature.ts'
import { startCatalogue } from '../../shared/i18n/catalogue.ts'
import type en from './index.en.json'
import { allSections, type SectionId, sectionWords } from './sections.ts'

const t = startCatalogue<typeof en>('settings-page')

/** Which host has the section. The others are on both. */
const isHere = (section: string) => section !== ('switchboard' in window ? 'browsers' : 'desktop')

const openSection = (section: SectionId): Command => ({
  id: `settings.${section}`,
  get title() {
    return t(section)
  },
  get words() {
    return sectionWords(section)
  },
  enabled: () => isHere(section),
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
  commands: allSections.map(({ id }) => openSection(id)),
} satisfies Feature
