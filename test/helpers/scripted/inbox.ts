import type { Conversation, InboxState } from '#contract/live/inbox.ts'
import type { EventRow } from '#contract/live/events.ts'
import { AppError } from '#contract/errors.ts'
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

const isPossible = ({ content }: EventRow) => content?.startsWith('Stop texting') === true

/** A few senders, with the holds on their numbers: with a name and without, one that opted out, one without a number. */
export function scriptedInbox(isHeld: (phone: string) => boolean): Script['inbox'] {
  let seq = 1_000
  const messages = new Map<string, EventRow[]>()
  const conversations: Conversation[] = people.map(([name, number, texts], index) => {
    const isNumber = number.startsWith('+')
    const sender = isNumber ? number.slice(1) : `=${number.toLowerCase()}`
    const rows = texts.map((content, at): EventRow => ({
      seq: seq--,
      kind: 'mo',
      messageId: `in-${index}-${at}`,
      status: null,
      errorCode: null,
      number,
      ownNumber: '+15550100',
      content,
      serviceTime: ago(index * hourMs + at * 9 * minuteMs + 2_000),
      receivedAt: ago(index * hourMs + at * 9 * minuteMs),
      copies: 1,
      verdict: 'signed',
      quarantineReason: null,
      optOut: content === 'STOP',
    }))
    messages.set(sender, rows)
    const [last] = rows
    return {
      sender,
      phone: isNumber ? number : null,
      number,
      contact: name === null ? null : { id: index + 1, name },
      messages: rows.length,
      unread: index < 2 ? 1 : 0,
      optOuts: rows.filter(({ optOut }) => optOut).length,
      possibleOptOuts: rows.filter(isPossible).length,
      blocked: last!.optOut ? 'hold' : null,
      last: {
        seq: last!.seq,
        content: last!.content ?? '',
        receivedAt: last!.receivedAt,
        optOut: last!.optOut,
      },
    }
  })
  const state = (): InboxState => ({
    unread: conversations.filter(({ unread }) => unread > 0).length,
    conversations: conversations.length,
    possibleOptOuts: conversations.filter(({ possibleOptOuts }) => possibleOptOuts > 0).length,
    upToSeq: 1_000,
    behind: false,
  })
  const changes = createBroadcast(state())
  const of = (sender: string): Conversation => {
    const found = conversations.find((each) => each.sender === sender)
    if (!found) throw new AppError('NOT_FOUND', { what: 'This conversation' })
    if (found.phone !== null && isHeld(found.phone)) found.blocked = 'hold'
    return found
  }
  const changed = (): InboxState => {
    changes.set(state())
    return state()
  }
  return {
    watch: ((_input: unknown, signal?: AbortSignal) =>
      changes.watch(signal)) as unknown as Script['inbox']['watch'],
    list: ({ which = 'all', text = '' }) => {
      for (const { sender } of conversations) of(sender)
      const items = conversations.filter(
        ({ unread, optOuts, possibleOptOuts, number, contact, last }) =>
          (which !== 'unread' || unread > 0) &&
          (which !== 'opt-outs' || optOuts > 0) &&
          (which !== 'possible-opt-outs' || possibleOptOuts > 0) &&
          [number, contact?.name, last.content].some((each) =>
            each?.toLowerCase().includes(text.toLowerCase()),
          ),
      )
      return {
        items: structuredClone(items),
        nextCursor: null,
        total: text === '' ? items.length : null,
        state: state(),
      }
    },
    get: ({ sender }) => {
      const conversation = of(sender)
      return {
        conversation: structuredClone(conversation),
        items: messages.get(sender) ?? [],
        sent: [],
        nextCursor: null,
        possibleOptOuts:
          conversation.possibleOptOuts > 0
            ? (messages.get(sender) ?? []).filter(isPossible).map(({ seq }) => seq)
            : [],
        contact: null,
        verdict:
          conversation.phone === null
            ? null
            : {
                input: conversation.phone,
                phone: conversation.phone,
                verdict: conversation.blocked === null ? 'clear' : 'blocked',
                reason: conversation.blocked === null ? null : 'STOP',
                since: null,
                source: conversation.blocked ?? 'none',
                asOf: ago(hourMs),
              },
        asOf: ago(0),
      }
    },
    markRead: ({ sender }) => {
      of(sender).unread = 0
      return changed()
    },
    markUnread: ({ sender }) => {
      of(sender).unread = 1
      return changed()
    },
    answerOptOut: ({ sender, answer }) => {
      const one = of(sender)
      one.possibleOptOuts = 0
      if (answer === 'hold') one.blocked = 'hold'
      return changed()
    },
    markAllRead: () => {
      for (const each of conversations) each.unread = 0
      return changed()
    },
  }
}
