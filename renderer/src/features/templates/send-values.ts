import type { TemplateVariable } from '#contract/template-text.ts'
import type { KnownTemplate } from '#contract/people/templates.ts'

const decimal = /^[+-]?(0|[1-9]\d*)(\.\d+)?$/

/** Whether the service knows a template. */
export const isSendable = ({ serviceId }: KnownTemplate): boolean => serviceId !== null

/** The selected template, if it can be sent. */
export const sendableTemplate = (templates: readonly KnownTemplate[], key: number | null) =>
  templates.find((one) => one.key === key && isSendable(one)) ?? null

/** The typed values of a template's placeholders. Empty text counts as a value only with `allowEmpty`; a number is never empty. */
export function readValues(
  variables: readonly TemplateVariable[],
  typed: Readonly<Record<string, string>>,
  allowEmpty: boolean,
) {
  const filled = new Map(Object.entries(typed).filter(([, value]) => value.trim() !== ''))
  const unfilled = variables.filter(({ name }) => !filled.has(name))
  const empty = unfilled.filter(({ type }) => type === 'string').map(({ name }) => name)
  return {
    filled,
    canBeEmpty: empty.length > 0,
    missing: allowEmpty ? unfilled.filter(({ type }) => type !== 'string') : unfilled,
    /** As shown in the text. */
    shown: allowEmpty ? new Map([...empty.map((name) => [name, ''] as const), ...filled]) : filled,
    notNumbers: variables
      .filter(({ name, type }) => type === 'number' && !decimal.test(filled.get(name)?.trim() ?? '0'))
      .map(({ name }) => name),
  }
}

export type ReadValues = ReturnType<typeof readValues>
