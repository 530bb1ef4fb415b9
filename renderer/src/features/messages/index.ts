import type { Command } from '../../shared/commands/use-commands.ts'
import type { Feature } from '../../shared/features/feature.ts'

/** Looks like a message id: 8 to 128 letters and digits, at least one digit. */
const messageId = /^(?=.*\d)[\da-z][\da-z_-]{7,127}$/i

const lookUp = (id: string): Command => ({
  id: 'messages.look-up',
  title: `Look up message ${id}`,
  run: async ({ router }) => void (await router.push({ path: '/messages', query: { id } })),
})

export default {
  id: 'messages',
  title: 'Messages',
  icon: 'messages',
  order: 45,
  group: 'send',
  goKey: 'm',
  route: { path: '/messages', component: () => import('./MessagesView.vue') },
  commands: [],
  search: (text) => Promise.resolve(messageId.test(text) ? [lookUp(text)] : []),
  keys: [
    { keys: '/', title: 'Enter message IDs' },
    { keys: 'j', title: 'Next message' },
    { keys: 'k', title: 'Previous message' },
    { keys: 'enter', title: 'Open message' },
    { keys: 'x', title: 'Toggle selection' },
    { keys: 'r', title: 'Refresh' },
    { keys: 'escape', title: 'Close details, clear selection' },
  ],
} satisfies Feature
