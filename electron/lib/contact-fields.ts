/** Longest fields of a contact, in characters. */
const contactLimits = { name: 1_000, email: 1_000, note: 20_000, tagsJson: 20_000 } as const

const emailShape = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

/** A name from a file's cell: without a database's quotes around it, and with single blanks. */
export const nameFrom = (cell: string): string =>
  cell
    .trim()
    .replace(/^'([^']*\p{L}.*)'$/su, (_, name: string) => name.replaceAll("''", "'"))
    .replace(/[^\S\r\n]+/gu, ' ')

const quotedMax = 60

/** Text to quote in an error, cut after 60 characters. */
export const toQuote = (text: string): string =>
  text.length > quotedMax ? `${text.slice(0, quotedMax)}…` : text

/** A phrase for people. */
type FieldProblem =
  | { key: 'contact.email'; email: string }
  | { key: `contact.${'name' | 'note' | 'tags' | 'nul'}` }

/** Why an email is refused, or null. */
export const emailProblem = (email: string): FieldProblem | null =>
  email === '' || (email.length <= contactLimits.email && emailShape.test(email))
    ? null
    : { key: 'contact.email', email: toQuote(email) }

/** Contact fields from a form or a file row. `tagsJson` is an object of strings. */
export interface ContactFields {
  name: string
  email: string
  note: string
  tagsJson: string
}

/**
 * Why a contact is refused, or null. Forms and imports share it, so an export can be imported
 * again. Expects trimmed names and emails.
 */
export function fieldProblem({ name, email, note, tagsJson }: ContactFields): FieldProblem | null {
  if (name.length > contactLimits.name) return { key: 'contact.name' }
  const problem = emailProblem(email)
  if (problem !== null) return problem
  if (note.length > contactLimits.note) return { key: 'contact.note' }
  if (tagsJson.length > contactLimits.tagsJson) return { key: 'contact.tags' }
  if (name.includes('\0') || email.includes('\0') || note.includes('\0') || tagsJson.includes('\\u0000'))
    return { key: 'contact.nul' }
  return null
}
