import { readCell } from '../../lib/csv/formula-guard.ts'
import type { JobControl } from '../run/job-control.ts'
import { createNumberSet } from '../table/number-set.ts'
import { readTable } from '../table/read-table.ts'
import { type ConsentColumn, consentKey, consentMeaning, type ConsentMeaning } from './consent-words.ts'
import type { ImportChoices } from './import-types.ts'
import { createNoContact } from './no-contact.ts'
import { createNumbersOfRow } from './number-reading.ts'

/** Most different values of a column. */
const valuesMax = 100

export interface ConsentOrder {
  file: string
  choices: ImportChoices
  consent: readonly ConsentColumn[]
  /** Column titles, to know a repeated header. */
  header?: readonly string[] | undefined
}

/** A column's values, with the rows of each. */
export interface ConsentFound {
  column: number
  values: { key: string; value: string; count: number; means: ConsentMeaning }[]
  /** Rows with further values that don't say no. */
  others: number
}

/** Numbers that must not be contacted by what a file says, as digits. */
export interface Refusals {
  columns: ConsentFound[]
  /** `because`: index in `evidence`. */
  holds: { digits: number[]; because: number[]; evidence: string[] }
  skips: number[]
}

export const noRefusals = (): Refusals => ({
  columns: [],
  holds: { digits: [], because: [], evidence: [] },
  skips: [],
})

/** Reads a whole file for numbers whose row says no. A no on any row counts for all its numbers, also on a row that is not imported. */
export async function findConsent(
  { file, choices, consent, header = [] }: ConsentOrder,
  control: JobControl,
): Promise<Refusals> {
  const found = noRefusals()
  if (consent.length === 0) return found
  const numbersOf = createNumbersOfRow(choices)
  const isNoContact = createNoContact(choices, header)
  const held = createNumberSet()
  const skipped = createNumberSet()
  const evidenceAt = new Map<string, number>()
  const columns = consent.map((one) => {
    const choice = choices.consent.find(({ column }) => column === one.column)
    return {
      ...one,
      action: choice?.action ?? 'hold',
      no: choice && new Set(choice.no),
      values: new Map<string, ConsentFound['values'][number]>(),
      others: 0,
    }
  })
  function hold(digits: number, evidence: string): void {
    if (!evidenceAt.has(evidence)) evidenceAt.set(evidence, found.holds.evidence.push(evidence) - 1)
    found.holds.digits.push(digits)
    found.holds.because.push(evidenceAt.get(evidence)!)
  }

  await readTable(
    file,
    choices.format,
    ({ cells }) => {
      let numbers: number[] | null = null
      if (isNoContact(cells) && (numbers = numbersOf(cells)).length === 0) return
      for (const one of columns) {
        const cell = readCell(cells[one.column] ?? '').trim()
        const key = consentKey(cell)
        const known = one.values.get(key)
        const means = known?.means ?? consentMeaning(one.kind, key)
        const saysNo = means === 'no' || means === 'never'
        const isListed = known !== undefined || one.values.size < valuesMax
        if (known) known.count++
        else if (isListed) one.values.set(key, { key, value: cell.slice(0, 200), count: 1, means })
        else if (!saysNo) one.others++
        // The operator decides on the values listed.
        if (one.action === 'ignore' || !(one.no && isListed ? one.no.has(key) : saysNo)) continue
        numbers ??= numbersOf(cells)
        if (one.action === 'skip') found.skips.push(...numbers.filter((digits) => skipped.add(digits)))
        else
          for (const digits of numbers)
            if (held.add(digits)) hold(digits, `${one.title}: ${cell.slice(0, 200)}`)
      }
    },
    async (done, total) => {
      control.progress(done, total)
      await control.checkpoint()
    },
  )
  found.columns = columns
    .map(({ column, kind, values, others }) => ({ column, kind, values: [...values.values()], others }))
    // A status column is about consent only if its values are.
    .filter(({ kind, values }) => kind !== 'status' || values.some(({ means }) => means !== 'unknown'))
    .map(({ column, values, others }) => ({ column, values, others }))
  return found
}
