import type { ErrorCodeCard } from '#contract/views/error-codes.ts'
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
    noteVersions: [],
    seen: {
      count,
      firstAt: count > 0 ? ago(40 * dayMs) : null,
      lastAt: count > 0 ? ago(2 * hourMs) : null,
    },
  }))
}

/** The same cards for every search. Other codes get an empty one. */
export function scriptedErrorCodes(cards: ErrorCodeCard[], tasks: ScriptedTasks): Script['errorCodes'] {
  const get = (code: string): ErrorCodeCard =>
    cards.find((card) => card.code === code) ?? {
      code,
      records: [],
      dlrMeaning: reportCodeMeaning(code),
      note: '',
      noteVersions: [],
      seen: { count: 0, firstAt: null, lastAt: null },
    }
  return {
    search: () => ({
      items: cards,
      nextCursor: null,
      total: cards.length,
      categories: ['addressing', 'billing', 'network', 'policy'],
      oldestAsOf: ago(3 * dayMs),
      lastAnswerAt: ago(3 * dayMs),
    }),
    searchOnline: () => ({
      items: cards,
      added: 0,
      unreadable: 0,
      ignoredText: false,
      problem: null,
      asOf: ago(0),
    }),
    get: ({ code }) => get(code),
    setNote: ({ code, note }) => ({ ...get(code), note }),
    fill: () =>
      tasks.finish({
        kind: 'error-code-fill',
        subject: 'Error codes',
        progress: { done: 24, total: 24, unit: 'requests' },
        counts: { added: 7 },
      }),
  }
}
