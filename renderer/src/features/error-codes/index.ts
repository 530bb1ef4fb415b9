import type { Feature } from '../../shared/features/feature.ts'

export default {
  id: 'error-codes',
  title: 'Error codes',
  icon: 'codes',
  order: 130,
  goKey: 'r',
  route: { path: '/error-codes', component: () => import('./ErrorCodesView.vue') },
  commands: [],
  async search(text, client, signal) {
    const { items } = await client.errorCodes.search(
      { text: text.replace(/^code\s+/i, ''), limit: 5 },
      { signal },
    )
    return items.map(({ code, records, dlrMeaning }) => ({
      id: `error-codes.found.${code}`,
      title: `Error code ${code}`,
      detail: records[0]?.description ?? dlrMeaning ?? '',
      run: async ({ router }) => void (await router.push({ path: '/error-codes', query: { code } })),
    }))
  },
  keys: [
    { keys: 'j', title: 'Next code' },
    { keys: 'k', title: 'Previous code' },
    { keys: 'enter', title: 'Open details' },
    { keys: 'escape', title: 'Close details' },
    { keys: '/', title: 'Search' },
    { keys: 'r', title: 'Refresh' },
  ],
} satisfies Feature
