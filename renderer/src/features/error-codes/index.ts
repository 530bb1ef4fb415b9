import { goTo, pageCommand } from '../../shared/commands/use-commands.ts'
import type { Feature } from '../../shared/features/feature.ts'
import { startCatalogue } from '../../shared/i18n/catalogue.ts'
import { listKeys } from '../../shared/list/list-keys.ts'
import { say } from '../../shared/i18n/core-texts.ts'
import type en from './index.en.json'

const t = startCatalogue<typeof en>('error-codes-page')

export default {
  id: 'error-codes',
  title: () => t('title'),
  icon: 'codes',
  order: 100,
  group: 'insight',
  goKey: 'r',
  route: { path: '/error-codes', component: () => import('./ErrorCodesView.vue') },
  commands: () => [pageCommand('/error-codes', 'error-codes.fill', t('fetch'))],
  async search(text, client, signal) {
    const { items } = await client.errorCodes.search(
      { text: text.replace(/^code\s+/i, ''), limit: 5 },
      { signal },
    )
    return items.map(({ code, records, dlrMeaning }) =>
      goTo({ path: '/error-codes', query: { code } }, `error-codes.found.${code}`, t('found', { code }), {
        detail: records[0]?.description ?? (dlrMeaning ? say(dlrMeaning) : ''),
      }),
    )
  },
  keys: () => listKeys(t('row'), t('rows')),
} satisfies Feature
