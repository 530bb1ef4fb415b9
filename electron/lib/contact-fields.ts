/** Longest fields of a contact, in characters. */
const contactLimits = { name: 1_000, email: 1_000, note: 20_000, tagsJson: 20_000 } as const

const emailShape = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

const quotedMax = 60

/** Text quoted in an error, cut after 60 characters. */
export const quoted = (text: string): string =>
  `“${text.length > quotedMax ? `${text.slice(0, quotedMax)}…` : text}”`

/** Why an e-mail is refused, as a sentence, or null. */
export const emailProblem = (email: string): string | null =>
  email === '' || (email.length <= contactLimits.email && emailShape.test(email))
    ? null
    : `The e-mail ${quoted(email)} is invalid.`

/** Contact fields from a form or a file row. `tagsJson` is an object of strings. */
export interface ContactFields {
  name: string
  email: string
  note: string
  tagsJson: string
}

/**
 * Why a contact is refused, as a sentence, or null. Forms and imports share it, so an export can be imported
 * again. Expects trimmed names and e-mails.
 */
export function fieldProblem({ name, email, note, tagsJson }: ContactFields): string | null {
  if (name.length > contactLimits.name) return 'The name is longer than 1,000 characters.'
  const problem = emailProblem(email)
  if (problem !== null) return problem
  if (note.length > contactLimits.note) return 'The note is longer than 20,000 characters.'
  if (tagsJson.length > contactLimits.tagsJson) return 'The tags are longer than 20,000 characters.'
  if (name.includes('\0') || email.includes('\0') || note.includes('\0') || tagsJson.includes('\\u0000'))
    return 'The contact contains a NUL character.'
  return null
}
