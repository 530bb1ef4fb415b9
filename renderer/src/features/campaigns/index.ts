import type { Feature } from '../../shared/features/feature.ts'

export default {
  id: 'campaigns',
  title: 'Campaigns',
  icon: 'campaigns',
  order: 40,
  goKey: 'c',
  route: { path: '/campaigns', component: () => import('./CampaignsView.vue') },
  commands: [],
  async search(text, client, signal) {
    const { items } = await client.campaigns.list({ perPage: 100, poll: true }, { signal })
    const words = text.toLowerCase()
    return items
      .filter(({ id, name }) => id.toLowerCase() === words || name?.toLowerCase().includes(words))
      .slice(0, 5)
      .map(({ id, name, status }) => ({
        id: `campaigns.found.${id}`,
        title: name ?? id,
        detail: status ?? '',
        run: async ({ router }) => void (await router.push({ path: '/campaigns', query: { id } })),
      }))
  },
  keys: [{ keys: 'r', title: 'Refresh the campaigns' }],
} satisfies Feature
