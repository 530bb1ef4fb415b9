import type { FieldNames } from '../../../contract/field-names.ts'

const assumed = <T>(value: T) => ({ value, provenance: 'assumed' as const })

/**
 * Assumptions where the spec says "not shown", until verified or set for a connection. Each is the most common name
 * in comparable services, or the spec's own word elsewhere.
 */
export const defaultFieldNames: FieldNames = {
  // Field name of a DNC entry.
  dncCheckParameter: assumed('phone_number'),
  // From the spec: "a start date and an end date". Days are UTC.
  analyticsDates: assumed({
    startParameter: 'start_date',
    endParameter: 'end_date',
    format: 'date' as const,
  }),
  errorCodeSearchParameter: assumed('q'),
  // As the spec shows for creation.
  webhookCreateEvents: assumed({ dlr: ['dlr'], mo: ['mo'] }),
  // Creation uses dlr and mo; the list shows message.delivered and message.failed.
  webhookEventFamilies: assumed({
    dlr: ['dlr', 'message.submitted', 'message.delivered', 'message.failed', 'message.expired'],
    mo: ['mo', 'message.received', 'message.inbound'],
  }),
  webhookTestEvents: assumed({ dlr: 'dlr', mo: 'mo' }),
  webhookActiveStatuses: assumed(['active']),
  sendableTemplateStatuses: assumed(['active']),
  waitingScheduledStatuses: assumed(['pending']),
}

/** Names to try per parameter, most common first. For detection and Settings. */
export const fieldNameCandidates = {
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

/** Families of a subscription's event names; unknown names belong to none. */
export function familiesOf(events: readonly string[], fieldNames: FieldNames): ('dlr' | 'mo')[] {
  const families = fieldNames.webhookEventFamilies.value
  return (['dlr', 'mo'] as const).filter((family) => events.some((event) => families[family].includes(event)))
}
