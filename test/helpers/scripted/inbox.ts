import type { Conversation, InboxState } from '#contract/live/inbox.ts'
import type { SentMessage } from '#contract/people/sent.ts'
import { AppError } from '#contract/errors.ts'
import { scriptedRow } from '../scripted-events.ts'
import type { Script } from './script.ts'
import { ago, createBroadcast, hourMs, minuteMs } from './broadcast.ts'

const people: readonly [name: string | null, number: string, texts: readonly string[]][] = [
  ['Ada Lovelace', '+14155550101', ['Never mind, it came!', 'Is my order on its way?']],
  [null, '+491701234567', ['STOP']],
  [
    'Grace Hopper',
    '+442071838750',
    ['Stop texting me please', 'Thanks, see you then', 'Can I come at ten instead?', 'Hello?'],
  ],
  [null, 'Parcel-Service', ['Your parcel has been handed over.']],
]

/** A message that left after the opt-out. */
const sentLate = (): SentMessage => ({
  author: null,
  itemId: 9,
  batchId: 'b-push',
  batchTitle: 'Points',
  messageId: 'm-late',
  templateName: 'Points',
  text: 'You have 12 points.',
  state: 'done',
  serviceStatus: 'submitted',
  queuedAt: ago(30 * minuteMs),
  endedAt: ago(29 * minuteMs),
})

/** A few senders: with a name and without, one that opted out, one that perhaps did, one without a number. */
export function scriptedInbox(): Script['inbox'] {
  let seq = 1_000
  const all = people.map(([name, number, texts], index) => {
    const phone = number.startsWith('+') ? number : null
    const items = texts.map((content, at) =>
      scriptedRow(seq--, Date.now() - index * hourMs - at * 9 * minuteMs, {
        kind: 'mo',
        messageId: `in-${index}-${at}`,
        status: null,
        number,
        ownNumber: '+15550100',
        content,
        optOut: content === 'STOP',
      }),
    )
    const possibleOptOuts = items.filter(({ content }) => content?.startsWith('Stop texting'))
    const [last] = items
    const conversation: Conversation = {
      sender: phone?.slice(1) ?? `=${number.toLowerCase()}`,
      phone,
      number,
      contact: name === null ? null : { id: index + 1, name },
      messages: items.length,
      unread: index < 2 ? 1 : 0,
      optOuts: last!.optOut ? 1 : 0,
      possibleOptOuts: possibleOptOuts.length,
      blocked: last!.optOut ? 'hold' : null,
      work: index === 2 ? { state: 'assigned', by: 'Ana', at: ago(12 * minuteMs) } : null,
      last: { seq: last!.seq, content: last!.content!, receivedAt: last!.receivedAt, optOut: last!.optOut },
    }
    return { conversation, items, possibleOptOuts: possibleOptOuts.map((row) => row.seq) }
  })
  const items = all.map(({ conversation }) => conversation)
  const state: InboxState = {
    unread: 2,
    conversations: items.length,
    possibleOptOuts: 1,
    upToSeq: 1_000,
    marksVersion: 0,
    behind: false,
  }
  return {
    watch: (_input, signal) => createBroadcast(state).watch(signal),
    list: () => ({ items, nextCursor: null, total: items.length, state }),
    get: ({ sender }) => {
      const found = all.find(({ conversation }) => conversation.sender === sender)
      if (!found) throw new AppError('NOT_FOUND', { what: 'This conversation' })
      const { items } = found
      const { phone, blocked } = found.conversation
      return {
        ...found,
        sent: blocked === null ? [] : [sentLate()],
        optedOut: blocked === null ? null : { seq: items[0]!.seq, at: items[0]!.receivedAt },
        nextCursor: null,
        note: sender === '442071838750' ? 'Called back, wants ten o’clock.' : '',
        noteVersions:
          sender === '442071838750'
            ? [
                { text: 'Called back, wants ten o’clock.', by: 'Ana', at: ago(10 * minuteMs) },
                { text: 'Ask Ada first.', by: null, at: ago(11 * minuteMs) },
              ]
            : [],
        related: [],
        contact: null,
        verdict:
          phone === null
            ? null
            : {
                input: phone,
                phone,
                verdict: blocked === null ? 'clear' : 'blocked',
                reason: blocked === null ? null : 'STOP',
                since: null,
                source: blocked ?? 'none',
                author: null,
                asOf: ago(hourMs),
              },
        asOf: ago(0),
      }
    },
    markRead: () => state,
    markUnread: () => state,
    setWork: () => state,
    setNote: () => state,
    answerOptOut: () => state,
    markAllRead: () => state,
  }
}
