import { readLoneNumber } from '#contract/strict-number.ts'
import type { TemplateVariable } from '#contract/template-text.ts'
import type { Phrase } from '#contract/phrases.ts'
import type { KnownTemplate } from '#contract/people/templates.ts'

/** Whether the service knows a template. */
export const isSendable = ({ serviceId }: KnownTemplate): boolean => serviceId !== null

export const sendableTemplate = (templates: readonly KnownTemplate[], key: number | null) =>
  templates.find((one) => one.key === key && isSendable(one)) ?? null

/** The typed values of a template's placeholders, numbers as sent. Empty text counts as a value only with `allowEmpty`; a number is never empty. */
export function readValues(
  variables: readonly TemplateVariable[],
  typed: Readonly<Record<string, string>>,
  allowEmpty: boolean,
) {
  const filled = new Map(Object.entries(typed).filter(([, value]) => value.trim() !== ''))
  /** Why a text is no number, as phrases that read after it. */
  const wrong = new Map<string, Phrase>()
  for (const { name, type } of variables) {
    const text = filled.get(name)
    if (type !== 'number' || text === undefined) continue
    const number = readLoneNumber(text)
    if (number.ok) filled.set(name, number.text)
    else wrong.set(name, number.reason)
  }
  const unfilled = variables.filter(({ name }) => !filled.has(name))
  const empty = unfilled.filter(({ type }) => type === 'string').map(({ name }) => name)
  return {
    filled,
    canBeEmpty: empty.length > 0,
    missing: allowEmpty ? unfilled.filter(({ type }) => type !== 'string') : unfilled,
    /** As shown in the text. */
    shown: allowEmpty ? new Map([...empty.map((name) => [name, ''] as const), ...filled]) : filled,
    wrong,
  }
}
