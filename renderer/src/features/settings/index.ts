import type { Command } from '../../shared/commands/use-commands.ts'
import type { Feature } from '../../shared/features/feature.ts'

const sections = [
  ['connections', 'Edit the connections'],
  ['listener', 'Set up the webhook listener'],
  ['events', 'Choose how long events are kept'],
  ['dialect', 'Edit the dialect, or probe it'],
  ['appearance', 'Change theme and density'],
  ['about', 'Show diagnostics'],
] as const

const openSection = ([section, title]: (typeof sections)[number]): Command => ({
  id: `settings.${section}`,
  title,
  run: async ({ router }) => void (await router.push({ path: '/settings', query: { section } })),
})

export default {
  id: 'settings',
  title: 'Settings',
  icon: 'settings',
  order: 140,
  goKey: 's',
  route: { path: '/settings', component: () => import('./SettingsView.vue') },
  commands: sections.map(openSection),
} satisfies Feature
