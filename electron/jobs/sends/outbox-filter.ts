import { numbersMeant, readNumberList } from '../../../jobs/contact-store/number-list.ts'
import { parseTerms, type TermText } from '../../../jobs/contact-store/search-terms.ts'

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
