import type { Command } from '../../shared/commands/use-commands.ts'
import type { Feature } from '../../shared/features/feature.ts'

export default {
  id: 'contacts',
  title: 'Contacts',
  icon: 'contacts',
  order: 70,
  group: 'audience',
  goKey: 'p',
  route: { path: '/contacts', component: () => import('./ContactsView.vue') },
  commands: [],
  async search(text, client, signal) {
    const sort = { by: 'name', descending: false } as const
    const { items } = await client.contacts.list({ filter: { text }, sort, limit: 5 }, { signal })
    const open = (query: Record<string, string>): Command['run'] => {
      return async ({ router }) => void (await router.push({ path: '/contacts', query }))
    }
    return items.map(({ id, name, phone }) => ({
      id: `contacts.found.${id}`,
      title: name || phone,
      detail: name ? phone : '',
      run: open({ contact: String(id) }),
    }))
  },
  keys: [
    { keys: '/', title: 'Search the contacts' },
    { keys: 'j', title: 'Next contact' },
    { keys: 'k', title: 'Previous contact' },
    { keys: 'enter', title: 'Show the details of the contact' },
    { keys: 'x', title: 'Choose the contact, or not' },
    { keys: 'a', title: 'Choose every contact that matches' },
    { keys: 'n', title: 'New contact' },
    { keys: 'e', title: 'Edit the contact' },
    { keys: 'i', title: 'Import contacts' },
    { keys: 'escape', title: 'Close the details, then choose nothing' },
  ],
} satisfies Feature
