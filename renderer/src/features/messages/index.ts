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
  order: 50,
  goKey: 'm',
  route: { path: '/messages', component: () => import('./MessagesView.vue') },
  commands: [],
  search: (text) => Promise.resolve(messageId.test(text) ? [lookUp(text)] : []),
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
