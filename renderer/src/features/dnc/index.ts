import type { Command } from '../../shared/commands/use-commands.ts'
import type { Feature } from '../../shared/features/feature.ts'
import { startCatalogue } from '../../shared/i18n/catalogue.ts'
import type en from './index.en.json'

const t = startCatalogue<typeof en>('dnc-page')

const openTab = (tab: string, text: keyof typeof en): Command => ({
  id: `dnc.tab.${tab}`,
  get title() {
    return t(text)
  },
  run: async ({ router }) => void (await router.push({ path: '/dnc', query: { tab } })),
})

const keys = [
  ['1', 'entries'],
  ['2', 'check'],
  ['3', 'holds'],
  ['4', 'keywords'],
  ['/', 'search'],
  ['j', 'next'],
  ['k', 'previous'],
  ['enter', 'open'],
  ['escape', 'close'],
  ['c', 'checkNumber'],
] as const

export default {
  id: 'dnc',
  get title() {
    return t('title')
  },
  icon: 'ban',
  order: 80,
  group: 'audience',
  goKey: 'd',
  route: { path: '/dnc', component: () => import('./DncView.vue') },
  commands: [
    openTab('check', 'checkNumbers'),
    openTab('holds', 'showHolds'),
    openTab('stop-words', 'editKeywords'),
  ],
  keys: keys.map(([key, text]) => ({
    keys: key,
    get title() {
      return t(text)
    },
  })),
} satisfies Feature
