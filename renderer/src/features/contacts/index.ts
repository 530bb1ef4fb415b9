import type { Feature } from '../../shared/features/feature.ts'

export default {
  id: 'contacts',
  title: 'Contacts',
  icon: 'contacts',
  order: 60,
  goKey: 'p',
  route: { path: '/contacts', component: () => import('./ContactsView.vue') },
  commands: [],
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
