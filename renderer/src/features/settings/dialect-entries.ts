import type { Dialect } from '#contract/dialect.ts'

/** One value inside an entry: a word, a list of words, or one of a few words. `at` names the member that holds it. */
export interface DialectPart {
  at: string | null
  label: string
  kind: 'word' | 'words' | { oneOf: readonly string[] }
}

/** One name that the spec leaves open. */
export interface DialectEntry {
  key: keyof Dialect
  title: string
  /** Where it is used. */
  use: string
  parts: readonly DialectPart[]
}

const whole = (label: string, kind: DialectPart['kind']): readonly DialectPart[] => [
  { at: null, label, kind },
]
const families = (kind: DialectPart['kind']): readonly DialectPart[] => [
  { at: 'dlr', label: 'Delivery reports', kind },
  { at: 'mo', label: 'Inbound messages', kind },
]

/** Every open name, in the order of the settings page. */
export const dialectEntries: readonly DialectEntry[] = [
  {
    key: 'dncCheckParameter',
    title: 'Do-not-contact check parameter',
    use: 'GET /dnc/check: carries the number. Until it is proven the online check calls no number clear; the copy of the list answers as before.',
    parts: whole('Parameter', 'word'),
  },
  {
    key: 'analyticsDates',
    title: 'Analytics dates',
    use: 'GET /analytics/overview and /analytics/billing-summary: the span.',
    parts: [
      { at: 'startParameter', label: 'Start parameter', kind: 'word' },
      { at: 'endParameter', label: 'End parameter', kind: 'word' },
      { at: 'format', label: 'Written as', kind: { oneOf: ['date', 'date-time'] } },
    ],
  },
  {
    key: 'errorCodeSearchParameter',
    title: 'Error-code search parameter',
    use: 'GET /error-codes/search: the search text.',
    parts: whole('Parameter', 'word'),
  },
  {
    key: 'webhookCreateEvents',
    title: 'Event names to subscribe to',
    use: 'POST /webhooks: what each family is asked for with.',
    parts: families('words'),
  },
  {
    key: 'webhookEventFamilies',
    title: 'Event names of each family',
    use: 'GET /webhooks/subscriptions: names that count as one of the family.',
    parts: families('words'),
  },
  {
    key: 'webhookTestEvents',
    title: 'Event names of the test',
    use: 'POST /webhooks/{id}/test: the event type asked for.',
    parts: families('word'),
  },
  {
    key: 'webhookActiveStatuses',
    title: 'Subscription states that deliver',
    use: 'GET /webhooks/subscriptions: states under which deliveries arrive.',
    parts: whole('States', 'words'),
  },
  {
    key: 'sendableTemplateStatuses',
    title: 'Template states that can be sent',
    use: 'Others bring a warning before sending.',
    parts: whole('States', 'words'),
  },
  {
    key: 'waitingScheduledStatuses',
    title: 'Scheduled states that still wait',
    use: 'GET /scheduled-messages: states before the due time.',
    parts: whole('States', 'words'),
  },
]

type Draft = Record<string, string>

const keyOf = (part: DialectPart) => part.at ?? 'value'

/** An entry's value as texts to edit, one per part; words of a list are parted by commas. */
export function toDraft(dialect: Dialect, entry: DialectEntry): Draft {
  const value: unknown = dialect[entry.key].value
  return Object.fromEntries(
    entry.parts.map((part) => {
      const member = part.at === null ? value : (value as Record<string, unknown>)[part.at]
      return [keyOf(part), Array.isArray(member) ? member.join(', ') : String(member)]
    }),
  )
}

/** The dialect with this entry set by hand to what the texts say. The core checks the words. */
export function withDraft(dialect: Dialect, entry: DialectEntry, draft: Draft): Dialect {
  const read = (part: DialectPart): unknown => {
    const text = (draft[keyOf(part)] ?? '').trim()
    return part.kind === 'words' ? splitWords(text) : text
  }
  const first = entry.parts[0]
  const value =
    first?.at === null ? read(first) : Object.fromEntries(entry.parts.map((part) => [part.at, read(part)]))
  return { ...dialect, [entry.key]: { value, provenance: 'set by hand' } } as Dialect
}

/** Draft key of a part. */
export { keyOf as draftKey }

function splitWords(text: string): string[] {
  return [...new Set(text.split(',').map((word) => word.trim()))].filter((word) => word !== '')
}
