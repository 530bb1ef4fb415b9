import type { ErrorCodeCard } from '#contract/views/error-codes.ts'
import { englishText } from '#contract/phrases.ts'
import { reportCodeMeaning } from '#contract/words.ts'
import type { Script } from './script.ts'
import { ago, dayMs, hourMs } from './broadcast.ts'
import type { ScriptedTasks } from './tasks.ts'

const records = [
  ['1', 'Invalid destination', 'addressing', 'Check the number and its country code.', 812],
  ['2', 'Destination unreachable', 'network', 'Try again later; the handset may be off.', 48_213],
  ['3', 'Insufficient balance', 'billing', 'Top up the account.', 0],
  ['4', 'Message rejected', 'policy', 'Check the sender id and the text.', 96],
  ['21', 'Sender id not registered', 'policy', 'Register the sender id with the operator.', 0],
  ['30007', 'Filtered by the operator', 'policy', 'Review the text for filtered words.', 1_204],
  ['30008', 'Unknown error at the operator', 'network', null, 3],
] as const

/** The default error codes. */
export function ordinaryErrorCodes(): ErrorCodeCard[] {
  return records.map(([code, description, category, resolution, count]) => ({
    code,
    records: [
      {
        id: `ec-${code}`,
        description,
        category,
        resolution,
        createdAt: ago(400 * dayMs),
        asOf: ago(3 * dayMs),
      },
    ],
    dlrMeaning: reportCodeMeaning(code),
    note: code === '30007' ? 'Ask the carrier team before changing the text.' : '',
    seen: {
      count,
      firstAt: count > 0 ? ago(40 * dayMs) : null,
      lastAt: count > 0 ? ago(2 * hourMs) : null,
    },
  }))
}

/** Answers over cards in memory. Other codes get an empty card. */
export function scriptedErrorCodes(first: ErrorCodeCard[], tasks: ScriptedTasks): Script['errorCodes'] {
  let cards = first
  const textOf = (card: ErrorCodeCard) =>
    [
      card.code,
      card.note,
      englishText(card.dlrMeaning ?? ''),
      ...card.records.flatMap((record) => Object.values(record)),
    ]
      .join(' ')
      .toLowerCase()
  const find = (text: string) =>
    cards.filter((card) =>
      text
        .toLowerCase()
        .split(/\s+/)
        .every((word) => textOf(card).includes(word)),
    )
  const get = (code: string): ErrorCodeCard =>
    cards.find((card) => card.code === code) ?? {
      code,
      records: [],
      dlrMeaning: reportCodeMeaning(code),
      note: '',
      seen: { count: 0, firstAt: null, lastAt: null },
    }
  return {
    search: ({ text, onlySeen, category = '', limit = 100 }) => {
      const found = find(text)
        .filter((card) => !onlySeen || card.seen.count > 0)
        .filter(({ records }) => category === '' || records.some((record) => record.category === category))
      return {
        items: found.slice(0, limit),
        nextCursor: null,
        total: found.length,
        categories: [
          ...new Set(cards.flatMap(({ records }) => records.flatMap((one) => one.category ?? []))),
        ],
        oldestAsOf: found.length > 0 ? ago(3 * dayMs) : null,
        lastAnswerAt: ago(3 * dayMs),
      }
    },
    searchOnline: ({ text }) => ({
      items: find(text),
      added: 0,
      ignoredText: false,
      problem: null,
      asOf: ago(0),
    }),
    get: ({ code }) => get(code),
    setNote: ({ code, note }) => {
      const card = { ...get(code), note }
      cards = [...cards.filter((other) => other.code !== code), card]
      return card
    },
    fill: () =>
      tasks.finish({
        kind: 'error-code-fill',
        subject: 'Error codes',
        progress: { done: 24, total: 24, unit: 'requests' },
        counts: { added: 7 },
      }),
  }
}
