import type { OutboxFilter, OutboxState, OutboxStatus } from '../../contract/people/outbox.ts'
import { numbersMeant, readNumberList } from '../contact-store/number-list.ts'
import { parseTerms, type TermText } from '../contact-store/search-terms.ts'
import { isHeld } from './send-reports.ts'

/** States of which some items count as another status. */
const stateOf: Partial<Record<OutboxStatus, OutboxState>> = {
  'not-sent': 'rejected',
  held: 'rejected',
  'sent-again': 'cancelled',
  discarded: 'cancelled',
}
/** The status of a request, as SQL. */
export const statusSql = `CASE WHEN state = 'cancelled' AND resolution <> 'marked-done' THEN resolution
  WHEN state = 'rejected' AND problem_code = 'ON_DNC' THEN iif(${isHeld}, 'held', 'not-sent') ELSE state END`

/** Characters of numbers, which folding leaves as they are. Without `fold`, a million rows take a quarter of the time. */
const numberText = /^[\d\s+()./-]+$/

/**
 * A search as a condition on requests, by the rules of the search of contacts: words of the name, and numbers in any spelling. The whole
 * text may also be the service's ID of what was created.
 */
export function searchCondition(typed: string): { sql: string; params: string[] } {
  const numbers = readNumberList(typed)
  if (numbers.length > 0)
    return {
      sql: `phone IN (SELECT '+' || value FROM json_each(?))`,
      params: [JSON.stringify(numbers.flatMap(numbersMeant))],
    }
  const params = [typed.trim()]
  const contains = ({ text, besideNumber }: TermText): string => {
    params.push(text)
    if (!numberText.test(text)) return 'instr(fold(name), ?) > 0'
    return besideNumber ? 'instr(name, ?) > 0' : 'instr(phone || char(10) || name, ?) > 0'
  }
  const words = parseTerms(typed).map(
    (ways) => `(${ways.map((texts) => texts.map(contains).join(' AND ')).join(' OR ')})`,
  )
  return { sql: `(service_id = ? OR ${words.join(' AND ') || 'TRUE'})`, params }
}

/** A filter as conditions on requests. */
export function whereOf(filter: OutboxFilter): { sql: string[]; params: unknown[] } {
  const sql: string[] = []
  const params: unknown[] = []
  const oneOf = (column: string, values: readonly string[] | undefined) => {
    if (!values || values.length === 0) return
    sql.push(`${column} IN (${values.map(() => '?').join(', ')})`)
    params.push(...values)
  }
  const { states = [] } = filter
  // The state has an index.
  oneOf(
    'state',
    states.map((status) => stateOf[status] ?? status),
  )
  oneOf(statusSql, states)
  oneOf('operation', filter.operations)
  if (filter.batchId !== undefined) {
    sql.push('batch_id = ?')
    params.push(filter.batchId)
  }
  if (filter.contactId !== undefined) {
    sql.push('(contact_id = ? OR old_of = ?)')
    params.push(filter.contactId, filter.contactId)
  }
  const text = filter.text?.trim()
  if (text) {
    const search = searchCondition(text)
    sql.push(search.sql)
    params.push(...search.params)
  }
  return { sql, params }
}
