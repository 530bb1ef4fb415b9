import type { Phrase, Said } from '../../contract/phrases.ts'
import { openReader } from '../../database/open.ts'
import { readTagsJson } from '../../lib/tags-json.ts'
import { readCell } from '../../lib/csv/formula-guard.ts'
import type { Reading } from '../../lib/phone/guess-reading.ts'
import { parseInCountry } from '../../lib/phone/parse-in-country.ts'
import { countryOfRow } from '../table/country-of-row.ts'
import { openContactSearch } from '../contact-store/contact-search.ts'
import { createOtherReadings } from '../contact-store/other-readings.ts'
import type { StoreRow, StoreSelection } from '../contact-store/store-types.ts'
import { type ConsentOrder, findConsent } from '../imports/find-consent.ts'
import { createNumbersOfRow } from '../imports/number-reading.ts'
import { createNumberSet } from '../table/number-set.ts'
import { readTable, type TableFormat } from '../table/read-table.ts'
import { blockedBy, hitReason, loadBlocked } from '../table/blocked-numbers.ts'
import type { JobControl, JobFiles } from '../run/job-control.ts'
import { AppError } from '../../contract/errors.ts'
import {
  currencyOf,
  type DecimalMark,
  isSameCurrency,
  keptNumber,
  readLoneNumber,
  type ReadNumber,
  readNumber,
} from '../../contract/strict-number.ts'
import { createTarget, jsonLine } from '../run/target-file.ts'
import { isCellError } from './cell-error.ts'
import { createMarkFinder, type TwoReadings } from './mark-finder.ts'

/** As in the contract. */
export type PlanValueSource =
  | { from: 'name' | 'first-name' | 'last-name' | 'phone' | 'email' | 'empty' }
  | { from: 'tag'; key: string; decimals?: DecimalMark | undefined }
  | { from: 'column'; column: number; decimals?: DecimalMark | undefined }
  | { from: 'constant'; value: string }

export type LeftOutReason =
  | 'dnc'
  | 'held'
  | 'maybe-listed'
  | 'refused'
  | 'missing-value'
  | 'bad-value'
  | 'bad-number'
  | 'repeated'
  | 'unreadable'

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
  leftOut: LeftOutReason | null
  reason: Said | null
  /** The file's cells of a skipped one. */
  cells?: readonly string[]
}

export interface PlanResult {
  counts: Record<
    | 'recipients'
    | 'willSend'
    | 'dnc'
    | 'held'
    | 'maybeListed'
    | 'refused'
    | 'missingValue'
    | 'badValue'
    | 'badNumber'
    | 'repeated'
    | 'unreadable'
    | 'sentLately'
    | 'readableTwoWays',
    number
  >
  first: PlannedRow[]
  leftOut: PlannedRow[]
}

export interface PlanOrder extends JobFiles {
  source:
    | { selection: StoreSelection }
    | {
        file: string
        format: TableFormat
        phoneColumn: number
        nameColumn: number | null
        countryColumn?: number | null | undefined
        reading: Reading
        /** What the file says of consent. */
        refusing: ConsentOrder
      }
  variables: { name: string; type: 'string' | 'number'; source: PlanValueSource }[]
  /** The template's service id; counts who got it since then. */
  templateId: string
  sentSinceMs: number
  targets: { plan: string; left: string }
  /** Rows of each kind to return. */
  samples: number
}

const pieceRows = 1_000

/** Sources of one recipient's values. */
interface Candidate {
  at: number
  name: string
  firstName: string
  lastName: string
  phone: string
  /** What else the number's text may mean. */
  others: readonly number[]
  email: string
  tags: () => Record<string, string>
  cells: readonly string[]
  /** Positions of cells whose point is surely a decimal mark. */
  numeric: readonly number[]
  contactId: number | null
}

function textOf(source: PlanValueSource, from: Candidate): string {
  switch (source.from) {
    case 'name':
    case 'phone':
    case 'email':
      return from[source.from]
    case 'first-name':
      return from.firstName
    case 'last-name':
      return from.lastName
    case 'tag': {
      const tags = from.tags()
      return Object.hasOwn(tags, source.key) ? tags[source.key]! : ''
    }
    case 'column':
      return from.cells[source.column] ?? ''
    case 'empty':
      return ''
    case 'constant':
      return source.value
  }
}

/** Numbers that got this template from here, or will. */
function sentNumbers({ stateFile, templateId, sentSinceMs }: PlanOrder) {
  const { db, close } = openReader(stateFile)
  try {
    const phones = db
      .prepare<[number, string], string>(
        `SELECT phone FROM outbox WHERE operation = 'send-ott' AND state NOT IN ('cancelled', 'rejected')
           AND queued_ms >= ? AND json_extract(body_json, '$.templateId') = ?`,
      )
      .pluck()
    const numbers = createNumberSet()
    for (const phone of phones.iterate(sentSinceMs, templateId)) numbers.add(Number(phone.slice(1)))
    return numbers
  } finally {
    close()
  }
}

/** Whether all values of a source show one decimal mark; null when they don't. */
export interface SourceMark {
  name: string
  mark: DecimalMark | null
  samples: TwoReadings[]
}

/** Finds the decimal marks of the number placeholders among `variables` from every recipient. */
export async function findMarks(
  order: Pick<PlanOrder, 'source' | 'variables'> & JobFiles,
  control: JobControl,
): Promise<SourceMark[]> {
  const finders = order.variables.map((variable) => ({ ...variable, finder: createMarkFinder() }))
  const add = (from: Pick<Candidate, 'tags' | 'cells' | 'numeric'>) => {
    for (const { source, finder } of finders)
      if (source.from === 'column') {
        if (!from.numeric.includes(source.column)) finder.add(from.cells[source.column] ?? '')
      } else if (source.from === 'tag') finder.add(from.tags()[source.key] ?? '')
  }
  const { source } = order
  if ('selection' in source) {
    const { search, close } = openContactSearch(order)
    try {
      for (let afterId = 0; ;) {
        const ids = search.ids(source.selection, afterId, pieceRows)
        if (ids.length === 0) break
        for (const row of search.rows(ids))
          add({ cells: [], numeric: [], tags: () => readTagsJson(row.tagsJson) ?? {} })
        afterId = ids.at(-1)!
        await control.checkpoint()
      }
    } finally {
      close()
    }
  } else
    await readTable(
      source.file,
      source.format,
      ({ cells, numeric = [], problem }) => {
        if (problem === null) add({ cells: cells.map(readCell), numeric, tags: () => ({}) })
      },
      async () => void (await control.checkpoint()),
    )
  return finders.map(({ name, finder }) => ({ name, ...finder.result() }))
}

/** The decimal mark of each number from a column or tag: the chosen one, or the one its values show. Throws INVALID_INPUT if none. */
async function marksOf(order: PlanOrder, control: JobControl): Promise<Map<string, DecimalMark>> {
  const marks = new Map<string, DecimalMark>()
  const open = order.variables.filter(({ name, type, source }) => {
    if (type !== 'number' || (source.from !== 'column' && source.from !== 'tag')) return false
    if (source.decimals) marks.set(name, source.decimals)
    return source.decimals === undefined
  })
  if (open.length === 0) return marks
  for (const { name, mark } of await findMarks({ ...order, variables: open }, control)) {
    if (mark === null) throw new AppError('INVALID_INPUT', { detail: { key: 'input.decimals', name } })
    marks.set(name, mark)
  }
  return marks
}

/** Plans all recipients: their values, or why they are skipped. No number occurs twice. */
export async function planSends(order: PlanOrder, control: JobControl): Promise<PlanResult> {
  const marks = await marksOf(order, control)
  const lists = loadBlocked(order)
  const contacts = openReader(order.contactsFile)
  const otherReadings = createOtherReadings(contacts.db).ofMany()
  const sent = sentNumbers(order)
  const seen = createNumberSet()
  /** The first currency beside each variable's numbers. */
  const currencies = new Map<string, string>()
  const plan = createTarget(order.targets.plan)
  const left = createTarget(order.targets.left)
  const counts = {
    recipients: 0,
    willSend: 0,
    dnc: 0,
    held: 0,
    maybeListed: 0,
    refused: 0,
    missingValue: 0,
    badValue: 0,
    badNumber: 0,
    repeated: 0,
    unreadable: 0,
    sentLately: 0,
    readableTwoWays: 0,
  }
  const first: PlannedRow[] = []
  const firstLeft: PlannedRow[] = []
  const skippedAs = {
    dnc: 'dnc',
    held: 'held',
    'maybe-listed': 'maybeListed',
    refused: 'refused',
    'missing-value': 'missingValue',
    'bad-value': 'badValue',
    'bad-number': 'badNumber',
    repeated: 'repeated',
    unreadable: 'unreadable',
  } as const satisfies Record<LeftOutReason, keyof typeof counts>

  function skip(candidate: Candidate, leftOut: LeftOutReason, reason: Phrase): void {
    counts[skippedAs[leftOut]]++
    const { at, phone, name, contactId, cells } = candidate
    const row: PlannedRow = { at, phone, name, contactId, values: [], leftOut, reason }
    // Samples omit the texts, which may be long.
    if (firstLeft.length < order.samples) firstLeft.push(row)
    const values = order.variables.map(({ name: of, source }) => ({
      name: of,
      value: textOf(source, candidate),
    }))
    left.line(jsonLine({ ...row, values, ...(contactId === null ? { cells } : {}) }))
  }

  /** Refuses a number of another currency than those before it: the template names one. */
  function withCurrency(name: string, text: string, read: ReadNumber): ReadNumber {
    const found = read.ok ? currencyOf(text) : null
    if (found === null) return read
    const currency = currencies.get(name) ?? found
    currencies.set(name, currency)
    return isSameCurrency(currency, found)
      ? read
      : { ok: false, reason: { key: 'number.currency', currency } }
  }

  function judge(candidate: Candidate, digits: number): void {
    const others = [...new Set([...candidate.others, ...otherReadings(digits)])]
    const hit = blockedBy(lists, digits, others)
    if (hit) {
      const [leftOut, listed] =
        hit.by === 'dnc' ? (['dnc', 'plan.dnc'] as const) : (['held', 'plan.held'] as const)
      return skip(candidate, hit.isSure ? leftOut : 'maybe-listed', hitReason(hit, digits) ?? { key: listed })
    }
    if (seen.has(digits)) return skip(candidate, 'repeated', { key: 'plan.duplicate' })
    const values: PlannedRow['values'] = []
    for (const { name, type, source } of order.variables) {
      const text = textOf(source, candidate)
      if (text.trim() === '' && source.from !== 'empty')
        return skip(candidate, 'missing-value', { key: 'plan.noValue', name })
      if (source.from !== 'constant' && isCellError(text))
        return skip(candidate, 'bad-value', { key: 'plan.cellError', name, text: text.trim() })
      if (type === 'string') {
        values.push({ name, value: text })
        continue
      }
      const isNumeric = source.from === 'column' && candidate.numeric.includes(source.column)
      const mark = isNumeric ? 'point' : marks.get(name)
      const read = withCurrency(
        name,
        text,
        mark === undefined ? readLoneNumber(text) : readNumber(text, mark),
      )
      if (!read.ok)
        return skip(candidate, 'bad-value', {
          key: 'plan.badValue',
          name,
          text: text.slice(0, 60),
          reason: read.reason,
        })
      values.push({ name, value: keptNumber(read.text) })
    }
    seen.add(digits)
    counts.willSend++
    if (sent.has(digits)) counts.sentLately++
    const { phone, name, contactId } = candidate
    const row: PlannedRow = {
      at: counts.willSend,
      phone,
      ...(others.length === 0 ? {} : { others }),
      name,
      contactId,
      values,
      leftOut: null,
      reason: null,
    }
    plan.line(jsonLine(row))
    if (first.length < order.samples) first.push(row)
  }

  async function fromContacts(selection: Extract<typeof order.source, { selection: unknown }>['selection']) {
    const { search, close } = openContactSearch(order)
    try {
      for (let afterId = 0; ;) {
        const ids = search.ids(selection, afterId, pieceRows)
        if (ids.length === 0) return
        for (const row of search.rows(ids)) judge(toCandidate(row, ++counts.recipients), row.digits)
        afterId = ids.at(-1)!
        control.progress(counts.recipients, null, counts)
        await control.checkpoint()
      }
    } finally {
      close()
    }
  }

  async function fromTable(source: Extract<typeof order.source, { file: string }>) {
    // Its progress would be in bytes.
    const { skips, shared: sharedNumbers } = await findConsent(source.refusing, {
      ...control,
      progress: () => {},
    })
    const numbersOf = createNumbersOfRow(source.refusing.choices, source.refusing.header ?? [])
    const shared = new Set(sharedNumbers)
    const refusals = new Map(skips.digits.map((digits, at) => [digits, skips.evidence[skips.because[at]!]!]))
    await readTable(
      source.file,
      source.format,
      ({ cells, numeric = [], sheetRow, problem }) => {
        const texts = cells.map(readCell)
        if (texts.every((text) => text.trim() === '')) return
        counts.recipients++
        const written = (texts[source.phoneColumn] ?? '').trim()
        const candidate: Candidate = {
          at: sheetRow,
          phone: written,
          others: [],
          name: source.nameColumn === null ? '' : (texts[source.nameColumn] ?? '').trim(),
          firstName: '',
          lastName: '',
          email: '',
          tags: () => ({}),
          cells: texts,
          numeric,
          contactId: null,
        }
        if (problem !== null) return skip(candidate, 'unreadable', { key: problem })
        const parsed = parseInCountry(written, countryOfRow(cells, source.countryColumn), source.reading)
        if (!parsed.ok) return skip(candidate, 'bad-number', parsed.reason)
        if (parsed.twoWays) counts.readableTwoWays++
        const others = parsed.other === 0 ? [] : [parsed.other]
        const known = { ...candidate, phone: parsed.e164, others }
        const refused =
          refusals.size > 0
            ? [parsed.digits, ...others, ...numbersOf(cells)].find(
                (one) => refusals.has(one) && (one === parsed.digits || !shared.has(one)),
              )
            : 0
        if (refused) skip(known, 'refused', { key: 'plan.refused', said: refusals.get(refused)! })
        else judge(known, parsed.digits)
      },
      async (done, total) => {
        // Progress in recipients, estimated from bytes: the total is unknown until the end.
        const share = done >= total ? counts.recipients : Math.round((counts.recipients * total) / done)
        control.progress(counts.recipients, share, counts)
        await control.checkpoint()
      },
    )
  }

  try {
    if ('selection' in order.source) await fromContacts(order.source.selection)
    else await fromTable(order.source)
    plan.finish()
    left.finish()
    return { counts, first, leftOut: firstLeft }
  } finally {
    plan.abandon()
    left.abandon()
    contacts.close()
  }
}

const toCandidate = (row: StoreRow, at: number): Candidate => ({
  at,
  phone: `+${row.digits}`,
  others: [],
  name: row.name,
  firstName: row.firstName,
  lastName: row.lastName,
  email: row.email,
  tags: () => readTagsJson(row.tagsJson) ?? {},
  cells: [],
  numeric: [],
  contactId: row.id,
})
