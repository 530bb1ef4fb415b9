import { type Command, goTo, pageCommand } from '../../shared/commands/use-commands.ts'
import type { Feature } from '../../shared/features/feature.ts'
import { startCatalogue } from '../../shared/i18n/catalogue.ts'
import { listKeys } from '../../shared/list/list-keys.ts'
import type en from './index.en.json'

const t = startCatalogue<typeof en>('campaigns-page')

export default {
  id: 'campaigns',
  title: () => t('title'),
  icon: 'campaigns',
  order: 40,
  group: 'send',
  goKey: 'c',
  route: { path: '/campaigns', component: () => import('./CampaignsView.vue') },
  commands: () => [
    { ...pageCommand('/campaigns', 'campaigns.pause-all', t('pauseAll')), broad: true },
    pageCommand('/campaigns', 'campaigns.rules', t('rules'), t('ruleWords')),
  ],
  async search(text, client, signal) {
    const { items } = await client.campaigns.list({ perPage: 100, poll: true }, { signal })
    const words = text.toLowerCase().split(/\s+/)
    const isFound = ({ title }: Command) => words.every((word) => title.toLowerCase().includes(word))
    const found = items.flatMap(({ id, name, status }) => {
      const to = `/campaigns?${new URLSearchParams({ id })}`
      const open = goTo(to, `campaigns.found.${id}`, name ?? id, { detail: status ?? '' })
      const pause = pageCommand(to, `campaigns.pause.${id}`, t('pause', { name: name ?? id }))
      const opens = isFound(open) || id.toLowerCase() === text.toLowerCase()
      return [...(opens ? [open] : []), ...(status === 'running' && isFound(pause) ? [pause] : [])]
    })
    return found.slice(0, 5)
  },
  keys: () => listKeys(t('row'), t('rows'), false),
} satisfies Feature
