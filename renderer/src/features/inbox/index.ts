import type { Feature } from '../../shared/features/feature.ts'

export default {
  id: 'inbox',
  title: 'Inbox',
  icon: 'inbox',
  order: 30,
  goKey: 'i',
  route: { path: '/inbox', component: () => import('./InboxView.vue') },
  commands: [],
  keys: [
    { keys: '/', title: 'Search the conversations' },
    { keys: 'j', title: 'Next conversation' },
    { keys: 'k', title: 'Previous conversation' },
    { keys: 'u', title: 'Mark the conversation as unread and close it' },
    { keys: 'escape', title: 'Close the conversation' },
  ],
  waiting: { count: ({ unreadConversations }) => unreadConversations, words: 'unread' },
} satisfies Feature
