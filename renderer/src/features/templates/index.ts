import type { Feature } from '../../shared/features/feature.ts'

export default {
  id: 'templates',
  title: 'Templates',
  icon: 'templates',
  order: 90,
  goKey: 'y',
  route: { path: '/templates', component: () => import('./TemplatesView.vue') },
  commands: [],
  async search(text, client, signal) {
    const { items } = await client.templates.list({ text, limit: 5 }, { signal })
    return items.map(({ key, name, serviceId }) => ({
      id: `templates.found.${key}`,
      title: name || serviceId || `Template ${key}`,
      run: async ({ router }) =>
        void (await router.push({ path: '/templates', query: { template: String(key) } })),
    }))
  },
  keys: [
    { keys: 'n', title: 'New template' },
    { keys: 'a', title: 'Adopt a template by its id' },
    { keys: '1 to 3', title: 'Templates, send to one, send to many' },
  ],
} satisfies Feature
