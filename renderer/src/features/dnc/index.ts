import { isNumberLike } from '#contract/number-text.ts'
import { type Command, goTo, pageCommand } from '../../shared/commands/use-commands.ts'
import type { Feature } from '../../shared/features/feature.ts'
import { startCatalogue } from '../../shared/i18n/catalogue.ts'
import { listKeys } from '../../shared/list/list-keys.ts'
import type en from './index.en.json'

const t = startCatalogue<typeof en>('dnc-page')

/** Shorter text is no number to act on. */
const fewestDigits = 7

const openTab = (tab: string, text: keyof typeof en): Command =>
  goTo(`/dnc?tab=${tab}`, `dnc.tab.${tab}`, t(text))

export default {
  id: 'dnc',
  title: () => t('title'),
  icon: 'ban',
  order: 80,
  group: 'audience',
  goKey: 'd',
  route: { path: '/dnc', component: () => import('./DncView.vue') },
  commands: () => [
    openTab('check', 'checkNumbers'),
    openTab('holds', 'showHolds'),
    openTab('keywords', 'editKeywords'),
    pageCommand('/dnc?tab=holds', 'dnc.hold', t('hold')),
    pageCommand('/dnc', 'dnc.sync', t('sync')),
  ],
  search(text) {
    const phone = text.trim()
    if (!isNumberLike(phone) || phone.replace(/\D/g, '').length < fewestDigits) return Promise.resolve([])
    const act = (id: string, title: string, query: Record<string, string>) =>
      goTo({ path: '/dnc', query }, `dnc.number.${id}`, title)
    return Promise.resolve([
      act('hold', t('holdNumber', { phone }), { tab: 'holds', hold: phone }),
      act('check', t('checkThis', { phone }), { tab: 'check', number: phone }),
    ])
  },
  keys: () => ({
    1: t('entries'),
    2: t('check'),
    3: t('holds'),
    4: t('keywords'),
    ...listKeys(t('row'), t('rows')),
    '/': t('search'),
    c: t('checkNumber'),
  }),
} satisfies Feature
