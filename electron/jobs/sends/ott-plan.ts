import type { LeftOut } from '../../contract/people/templates.ts'
import { createHash } from 'node:crypto'
import type { Phrase } from '../../contract/phrases.ts'
import {
  currencyOf,
  isSameCurrency,
  keptNumber,
  readLoneNumber,
  type ReadNumber,
  readNumber,
} from '../../contract/strict-number.ts'
import { openReader } from '../../database/open.ts'
import { readCell } from '../../lib/csv/formula-guard.ts'
import { hasZones, type LocalHours, nextWithin } from '../../lib/local-hours.ts'
import { countryOf } from '../../lib/phone/country-of.ts'
import { isLandline, spellingsOfLine } from '../../lib/phone/other-spellings.ts'
import { openContactSearch } from '../contact-store/contact-search.ts'
import { createOtherReadings } from '../contact-store/other-readings.ts'
import { checkDecided, findConsent, refusalTest } from '../table/find-consent.ts'
import { createNumberReading, createNumbersOfRow } from '../table/number-reading.ts'
import { createNameReading } from '../table/row-name.ts'
import type { JobControl } from '../run/job-control.ts'
import { createTarget, jsonLine } from '../run/target-file.ts'
import { blockedBy, hitReason, loadBlocked } from '../table/blocked-numbers.ts'
import { isNoValue } from '../table/cell-error.ts'
import { readTable } from '../table/read-table.ts'
import { type Candidate, textOf, toCandidate } from './candidate.ts'
import { marksOf } from './decimal-marks.ts'
import { isLately } from './lately.ts'
import type { PlannedRow, PlanOrder, PlanResult } from './plan-order.ts'

const pieceRows = 1_000

/** Numbers that got this template from here, or will, and those to which a colleague sent it. */
function sentNumbers({ stateFile, templateId, sentSinceMs }: PlanOrder) {
  const { db, close } = openReader(stateFile)
  try {
    const phones = db
      .prepare<[number, string], string>(
        `SELECT phone FROM outbox WHERE operation = 'send-ott' AND state NOT IN ('cancelled', 'rejected')
           AND ${isLately('?')} AND json_extract(body_json, '$.templateId') = ?`,
      )
      .pluck()
    const numbers = new Set(phones.all(sentSinceMs, templateId).map((phone) => Number(phone.slice(1))))
    const ofColleagues = db
      .prepare<[number, string], [digits: number, author: string]>(
        'SELECT digits, author FROM team_sent WHERE sent_ms >= ? AND template_id = ? AND author IS NOT NULL ORDER BY sent_ms',
      )
      .raw()
    return { numbers, authors: new Map(ofColleagues.iterate(sentSinceMs, templateId)) }
  } finally {
    close()
  }
}

/** The country of a number; null if its local time is unknown. */
function placeOf(digits: number): string | null {
  const country = countryOf(String(digits))
  return country !== null && hasZones(country) ? country : null
}

/** Whether a country's time zones share no time within the hours. */
function createClosed(hours: LocalHours, startMs: number) {
  const closed = new Map<string, boolean>()
  return (country: string): boolean => {
    let isClosed = closed.get(country)
    if (isClosed === undefined) closed.set(country, (isClosed = nextWithin(country, hours, startMs) === null))
    return isClosed
  }
}

/** Plans all recipients: their values, or why they are skipped. No line gets two. */
export async function planSends(order: PlanOrder, control: JobControl): Promise<PlanResult> {
  const marks = await marksOf(order, control)
  const lists = loadBlocked(order)
  const contacts = openReader(order.contactsFile)
  const otherReadings = createOtherReadings(contacts.db).ofMany()
  const sent = sentNumbers(order)
  const sentBy = new Set<string>()
  const seen = new Set<number>()
  /** The first currency beside each variable's numbers. */
  const currencies = new Map<string, string>()
  /** Of each text, a first amount that can only have a decimal point, and one that can only have a comma. */
  const amounts = new Map<string, { point?: string; comma?: string }>()
  const plan = createTarget(order.targets.plan)
  const left = createTarget(order.targets.left)
  const rows = order.targets.rows === undefined ? null : createTarget(order.targets.rows)
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
    received: 0,
    unplaced: 0,
    noHours: 0,
    unreadable: 0,
    sentLately: 0,
    readableTwoWays: 0,
    landlines: 0,
  }
  const first: PlannedRow[] = []
  const digest = createHash('sha256')
  const byCountry: Record<string, number> = {}
  const isClosed = order.hours && createClosed(order.hours, order.startMs)
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
    received: 'received',
    unplaced: 'unplaced',
    'no-hours': 'noHours',
    unreadable: 'unreadable',
  } as const satisfies Record<LeftOut, keyof typeof counts>

  function skip(candidate: Candidate, leftOut: LeftOut, reason: Phrase): void {
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

  function noteAmount(name: string, text: string): void {
    if (!/\d[.,]\d/.test(text)) return
    const [point, comma] = [readNumber(text, 'point').ok, readNumber(text, 'comma').ok]
    if (point === comma) return
    const seen = amounts.get(name) ?? {}
    seen[point ? 'point' : 'comma'] ??= text
    amounts.set(name, seen)
  }

  function valueOf(
    { name, type, source }: PlanOrder['variables'][number],
    candidate: Candidate,
  ):
    | { ok: true; value: PlannedRow['values'][number]['value'] }
    | { ok: false; leftOut: LeftOut; reason: Phrase } {
    const text = textOf(source, candidate)
    if (text.trim() === '' && source.from !== 'empty')
      return { ok: false, leftOut: 'missing-value', reason: { key: 'plan.noValue', name } }
    if (source.from !== 'constant' && isNoValue(text))
      return { ok: false, leftOut: 'bad-value', reason: { key: 'plan.cellError', name, text: text.trim() } }
    if (type === 'string') return { ok: true, value: text }
    const isNumeric = source.from === 'column' && candidate.numeric.includes(source.column)
    const mark = isNumeric ? 'point' : marks.get(name)
    const read = withCurrency(name, text, mark === undefined ? readLoneNumber(text) : readNumber(text, mark))
    if (read.ok) return { ok: true, value: keptNumber(read.text) }
    const { reason } = read
    return {
      ok: false,
      leftOut: 'bad-value',
      reason: { key: 'plan.badValue', name, text: text.slice(0, 60), reason },
    }
  }

  function judge(candidate: Candidate, digits: number): void {
    const others = [...new Set([...candidate.others, ...otherReadings(digits)])]
    const hit = blockedBy(lists, digits, others)
    if (hit) {
      const [leftOut, listed] =
        hit.by === 'dnc' ? (['dnc', 'plan.dnc'] as const) : (['held', 'plan.held'] as const)
      return skip(candidate, hit.isSure ? leftOut : 'maybe-listed', hitReason(hit, digits) ?? { key: listed })
    }
    const spellings = [digits, ...spellingsOfLine(digits)]
    const twin = spellings.find((one) => seen.has(one))
    if (twin !== undefined)
      return skip(
        candidate,
        'repeated',
        twin === digits ? { key: 'plan.duplicate' } : { key: 'plan.sameLine', digits: String(twin) },
      )
    const values: PlannedRow['values'] = []
    for (const variable of order.variables) {
      const read = valueOf(variable, candidate)
      if (!read.ok) return skip(candidate, read.leftOut, read.reason)
      values.push({ name: variable.name, value: read.value })
    }
    seen.add(digits)
    const author = spellings.map((one) => sent.authors.get(one)).find(Boolean)
    const isRepeat = author !== undefined || spellings.some((one) => sent.numbers.has(one))
    if (author !== undefined) sentBy.add(author)
    if (isRepeat && order.skipReceived)
      return skip(
        candidate,
        'received',
        author === undefined ? { key: 'plan.received' } : { key: 'plan.receivedFrom', author },
      )
    const country = isClosed && placeOf(digits)
    const isUnplaced = isClosed !== null && country === null
    if (isUnplaced && !order.sendUnplaced) return skip(candidate, 'unplaced', { key: 'plan.noCountry' })
    if (country !== null && isClosed?.(country)) return skip(candidate, 'no-hours', { key: 'plan.noHours' })
    counts.willSend++
    if (isLandline(String(digits))) counts.landlines++
    if (isRepeat) counts.sentLately++
    for (const { name, value } of values) if (typeof value === 'string') noteAmount(name, value)
    if (isClosed) byCountry[country ?? ''] = (byCountry[country ?? ''] ?? 0) + 1
    const { phone, name, contactId } = candidate
    const row: PlannedRow = {
      at: counts.willSend,
      phone,
      ...(others.length === 0 ? {} : { others }),
      name,
      contactId,
      values,
      ...(isUnplaced ? { isUnplaced } : {}),
      leftOut: null,
      reason: null,
    }
    const line = jsonLine(row)
    digest.update(line)
    plan.line(line)
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
    const { columns, skips, shared } = await findConsent(source.refusing, {
      ...control,
      progress: () => {},
    })
    const { choices, header = [] } = source.refusing
    checkDecided(columns, choices, header)
    const numbersOf = createNumbersOfRow(choices, header)
    const readNumber = createNumberReading(
      { ...choices, severalNumbers: 'reject', extensions: 'reject', unknownNumbers: 'reject' },
      header,
    )
    const refusalOf = refusalTest(skips, shared)
    const readName = createNameReading(source.names, header)
    await readTable(
      source.file,
      source.format,
      (row) => {
        const { cells, numeric = [], sheetRow, problem } = row
        const texts = cells.map(readCell)
        const { phone: written, parsed, others } = readNumber(cells)
        const numbers = parsed.ok ? [parsed.digits, ...others] : []
        if (rows || skips.digits.length > 0) numbers.push(...numbersOf(cells))
        rows?.line(jsonLine({ ...row, numbers }))
        if (texts.every((text) => text.trim() === '')) return
        counts.recipients++
        const candidate: Candidate = {
          at: sheetRow,
          phone: written.trim(),
          others: [],
          name: readName(cells).name,
          firstName: '',
          lastName: '',
          email: '',
          tags: () => ({}),
          cells: texts,
          numeric,
          contactId: null,
        }
        if (problem !== null) return skip(candidate, 'unreadable', { key: problem })
        if (!parsed.ok) return skip(candidate, 'bad-number', parsed.reason)
        if (parsed.twoWays) counts.readableTwoWays++
        const known = { ...candidate, phone: parsed.e164, others }
        const refused = refusalOf(numbers)
        if (refused) skip(known, 'refused', { key: 'plan.refused', said: refused.said })
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
    rows?.finish()
    digest.update(String(counts.sentLately))
    return {
      counts,
      first,
      leftOut: firstLeft,
      digest: digest.digest('hex'),
      byCountry,
      sentBy: [...sentBy].sort(),
      mixed: [...amounts].flatMap(([name, { point, comma }]) =>
        point && comma ? [{ name, point, comma }] : [],
      ),
    }
  } finally {
    plan.abandon()
    left.abandon()
    rows?.abandon()
    contacts.close()
  }
}
