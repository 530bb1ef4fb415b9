import type { Dialect } from '../../../contract/dialect.ts'

const assumed = <T>(value: T) => ({ value, provenance: 'assumed' as const })

/**
 * What the console assumes where the spec says "not shown", until a connection proves or sets it otherwise.
 * Each default is what comparable services use most, or the spec's own word for it elsewhere.
 */
export const defaultDialect: Dialect = {
  // The DNC entry's own field name.
  dncCheckParameter: assumed('phone_number'),
  // The spec's own words: "a start date and an end date". Days are UTC.
  analyticsDates: assumed({
    startParameter: 'start_date',
    endParameter: 'end_date',
    format: 'date' as const,
  }),
  errorCodeSearchParameter: assumed('q'),
  // The form the spec shows for creation.
  webhookCreateEvents: assumed({ dlr: ['dlr'], mo: ['mo'] }),
  // Both forms: creation uses dlr and mo, the list shows message.delivered and message.failed.
  webhookEventFamilies: assumed({
    dlr: ['dlr', 'message.submitted', 'message.delivered', 'message.failed', 'message.expired'],
    mo: ['mo', 'message.received', 'message.inbound'],
  }),
  webhookTestEvents: assumed({ dlr: 'dlr', mo: 'mo' }),
  webhookActiveStatuses: assumed(['active']),
  sendableTemplateStatuses: assumed(['active']),
  waitingScheduledStatuses: assumed(['pending']),
}

/** Names to try for each open parameter, in order of how often comparable services use them. For a probe and for Settings. */
export const dialectCandidates = {
  dncCheckParameter: ['phone_number', 'phone', 'number', 'phoneNumber'],
  analyticsDates: [
    { startParameter: 'start_date', endParameter: 'end_date', format: 'date' },
    { startParameter: 'from', endParameter: 'to', format: 'date' },
    { startParameter: 'startDate', endParameter: 'endDate', format: 'date' },
    { startParameter: 'start_date', endParameter: 'end_date', format: 'date-time' },
    { startParameter: 'from', endParameter: 'to', format: 'date-time' },
  ],
  errorCodeSearchParameter: ['q', 'query', 'search', 'code'],
} as const

/** The families (`dlr`, `mo`) that a subscription's event names belong to. Unknown names belong to none. */
export function familiesOf(events: readonly string[], dialect: Dialect): ('dlr' | 'mo')[] {
  const families = dialect.webhookEventFamilies.value
  return (['dlr', 'mo'] as const).filter((family) => events.some((event) => families[family].includes(event)))
}
