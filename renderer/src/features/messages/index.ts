import type { Feature } from '../../shared/features/feature.ts'

export default {
  id: 'messages',
  title: 'Messages',
  icon: 'messages',
  order: 50,
  goKey: 'm',
  route: { path: '/messages', component: () => import('./MessagesView.vue') },
  commands: [],
  keys: [
    { keys: '/', title: 'Focus the ids to look up' },
    { keys: 'j', title: 'Next message' },
    { keys: 'k', title: 'Previous message' },
    { keys: 'enter', title: 'Open the message' },
    { keys: 'x', title: 'Choose the message, or not' },
    { keys: 'r', title: 'Read the messages again' },
    { keys: 'escape', title: 'Close the details, then choose nothing' },
  ],
} satisfies Feature
