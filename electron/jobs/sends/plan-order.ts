import type { ContactSelection } from '../../contract/people/contacts.ts'
import type { ColumnTarget, CsvFormat } from '../../contract/people/imports.ts'
import type { LeftOut, PlanCounts, ValueSource } from '../../contract/people/templates.ts'
import type { Said } from '../../contract/phrases.ts'
import type { LocalHours } from '../../lib/local-hours.ts'
import type { ConsentOrder } from '../table/find-consent.ts'
import type { JobFiles } from '../run/job-control.ts'

/**
 * A recipient in a plan's files, one per line. `at`: position among the recipients; for a skipped one, its row number as in imports.
 * `values` of a skipped one are its texts.
 */
export interface PlannedRow {
  at: number
  phone: string
  /** What else the number's text may mean, as digits. */
  others?: readonly number[]
  name: string
  contactId: number | null
  /** A number that would lose decimals is its text, as sent: `12.50`. */
  values: { name: string; value: string | number }[]
  /** Its local time is unknown. */
  isUnplaced?: true
  leftOut: LeftOut | null
  reason: Said | null
  /** The file's cells of a skipped one. */
  cells?: readonly string[]
}

export interface PlanResult {
  counts: PlanCounts
  first: PlannedRow[]
  leftOut: PlannedRow[]
  /** Of all recipients with their values, and how many got the template lately: equal for equal plans. */
  digest: string
  /** With `hours`: recipients by country (ISO 3166), empty for those without hours. */
  byCountry: Record<string, number>
  /** Colleagues who sent the template to some of the recipients lately. */
  sentBy: string[]
  /** Texts that are an amount with a decimal point for some and with a comma for others, with one of each. */
  mixed: { name: string; point: string; comma: string }[]
}

export interface PlanOrder extends JobFiles {
  source:
    | { selection: ContactSelection }
    | {
        file: string
        format: CsvFormat
        /** Its columns, as far as they hold names. */
        names: ColumnTarget[]
        /** Its columns, how its numbers are read, and what it says of consent. */
        refusing: ConsentOrder
      }
  variables: { name: string; type: 'string' | 'number'; source: ValueSource }[]
  /** The template's service id; counts who got it since then. */
  templateId: string
  sentSinceMs: number
  /** Skips who got it since then. */
  skipReceived: boolean
  /** When it starts: whether the zones of a country share a time depends on the date. */
  startMs: number
  /** The hours that each recipient has in their country. */
  hours: LocalHours | null
  /** Sends at any hour to those with an unknown local time; otherwise skips them. */
  sendUnplaced: boolean
  /** `rows`: keeps the file's rows for another plan, with the `numbers` read from each. */
  targets: { plan: string; left: string; rows?: string }
  /** Rows of each kind to return. */
  samples: number
}
