import type { Command } from '../../shared/commands/use-commands.ts'
import type { Feature } from '../../shared/features/feature.ts'

const openTab = (tab: string, title: string): Command => ({
  id: `dnc.tab.${tab}`,
  title,
  run: async ({ router }) => void (await router.push({ path: '/dnc', query: { tab } })),
})

export default {
  id: 'dnc',
  title: 'Do not contact',
  icon: 'ban',
  order: 80,
  goKey: 'd',
  route: { path: '/dnc', component: () => import('./DncView.vue') },
  commands: [
    openTab('check', 'Check numbers against the do-not-contact list'),
    openTab('holds', 'Show local holds'),
    openTab('stop-words', 'Edit the stop words'),
  ],
  keys: [
    { keys: '1', title: 'Entries' },
    { keys: '2', title: 'Check numbers' },
    { keys: '3', title: 'Local holds' },
    { keys: '4', title: 'Stop words' },
    { keys: '/', title: 'Search, or enter a number' },
    { keys: 'j', title: 'Next row' },
    { keys: 'k', title: 'Previous row' },
    { keys: 'enter', title: 'Open details' },
    { keys: 'escape', title: 'Close details' },
    { keys: 'c', title: 'Check number' },
  ],
} satisfies Feature
