import type { TemplateVariable } from '../../../contract/template-text.ts'
import type { LocalHours } from '../../../lib/local-hours.ts'
import type { NewItem } from '../outbox/stored-item.ts'

/**
 * A message to one recipient as an outbox item. The body is the input of the client's `ott.send`. `types` are the template's; `written`
 * has the numbers whose text a number can't hold, such as `12.50`.
 */
export const ottItem = (
  {
    templateId,
    channelId,
    types,
  }: { templateId: string; channelId: string; types: readonly TemplateVariable[] },
  recipient: {
    phone: string
    others?: readonly number[] | undefined
    name: string
    contactId: number | null
    values: readonly { name: string; value: string | number }[]
    valuesOf?: string | undefined
    hours?: LocalHours | null
  },
): NewItem => ({
  operation: 'send-ott',
  name: recipient.name,
  phone: recipient.phone,
  others: recipient.others ?? [],
  valuesOf: recipient.valuesOf ?? null,
  hours: recipient.hours ?? null,
  contactId: recipient.contactId,
  serviceId: null,
  body: {
    channelId,
    templateId,
    to: recipient.phone,
    ...variablesOf(
      recipient.values,
      new Set(types.flatMap(({ name, type }) => (type === 'number' ? name : []))),
    ),
  },
  afterId: null,
})

function variablesOf(
  values: readonly { name: string; value: string | number }[],
  numbers: ReadonlySet<string>,
) {
  const read = values.map(({ name, value }) => ({
    name,
    written: String(value),
    value: numbers.has(name) ? Number(value) : value,
  }))
  const kept = read.filter(({ value, written }) => String(value) !== written)
  return {
    variables: Object.fromEntries(read.map(({ name, value }) => [name, value])),
    ...(kept.length === 0
      ? {}
      : { written: Object.fromEntries(kept.map(({ name, written }) => [name, written])) }),
  }
}
