import type { FieldNames } from '#contract/field-names.ts'
import type en from './settings.en.json'

/** One value of an entry: a word, a list of words, or one of a few words. `at` is its member. */
interface FieldNamePart {
  at: string | null
  /** Key of its label. */
  label: keyof typeof en.fieldNames.parts
  kind: 'word' | 'words' | { oneOf: readonly string[] }
}

/** A field name that the specification leaves open. */
export interface FieldNameEntry {
  key: keyof FieldNames
  parts: readonly FieldNamePart[]
}

const whole = (label: FieldNamePart['label'], kind: FieldNamePart['kind']): readonly FieldNamePart[] => [
  { at: null, label, kind },
]
const families = (kind: FieldNamePart['kind']): readonly FieldNamePart[] => [
  { at: 'dlr', label: 'dlr', kind },
  { at: 'mo', label: 'mo', kind },
]

export const fieldNameEntries: readonly FieldNameEntry[] = [
  { key: 'dncCheckParameter', parts: whole('parameter', 'word') },
  {
    key: 'analyticsDates',
    parts: [
      { at: 'startParameter', label: 'start', kind: 'word' },
      { at: 'endParameter', label: 'end', kind: 'word' },
      { at: 'format', label: 'format', kind: { oneOf: ['date', 'date-time'] } },
    ],
  },
  { key: 'errorCodeSearchParameter', parts: whole('parameter', 'word') },
  { key: 'webhookCreateEvents', parts: families('words') },
  { key: 'webhookEventFamilies', parts: families('words') },
  { key: 'webhookTestEvents', parts: families('word') },
  { key: 'webhookActiveStatuses', parts: whole('states', 'words') },
  { key: 'sendableTemplateStatuses', parts: whole('states', 'words') },
  { key: 'waitingScheduledStatuses', parts: whole('states', 'words') },
]

type Draft = Record<string, string>

/** Draft key of a part. */
export const draftKey = (part: FieldNamePart) => part.at ?? 'value'

/** An entry’s value as editable texts, one per part; lists are separated by commas. */
export function toDraft(fieldNames: FieldNames, entry: FieldNameEntry): Draft {
  const value: unknown = fieldNames[entry.key].value
  return Object.fromEntries(
    entry.parts.map((part) => {
      const member = part.at === null ? value : (value as Record<string, unknown>)[part.at]
      return [draftKey(part), Array.isArray(member) ? member.join(', ') : String(member)]
    }),
  )
}

/** The field names with this entry set manually to the texts. The core checks them. */
export function withDraft(fieldNames: FieldNames, entry: FieldNameEntry, draft: Draft): FieldNames {
  const read = (part: FieldNamePart): unknown => {
    const text = (draft[draftKey(part)] ?? '').trim()
    return part.kind === 'words' ? splitWords(text) : text
  }
  const first = entry.parts[0]
  const value =
    first?.at === null ? read(first) : Object.fromEntries(entry.parts.map((part) => [part.at, read(part)]))
  return { ...fieldNames, [entry.key]: { value, provenance: 'set by hand' } } as FieldNames
}

function splitWords(text: string): string[] {
  return [...new Set(text.split(',').map((word) => word.trim()))].filter((word) => word !== '')
}
