/** Longest fields of a contact, characters: more than any list of contacts has, and little enough to be shown. */
export const contactLimits = { name: 1_000, email: 1_000, note: 20_000, tagsJson: 20_000 } as const

const emailShape = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

/** Of what is quoted in a reason, so many characters. */
const quotedMax = 60

/** A piece of a row in a reason that tells of it. */
export const quoted = (text: string): string =>
  `“${text.length > quotedMax ? `${text.slice(0, quotedMax)}…` : text}”`

/** Why an e-mail cannot be kept, as a sentence, or null. */
export const emailProblem = (email: string): string | null =>
  email === '' || (email.length <= contactLimits.email && emailShape.test(email))
    ? null
    : `The e-mail ${quoted(email)} is no address.`

/** The fields of a contact as a form or a row of a file gives them. `tagsJson` is an object of texts. */
export interface ContactFields {
  name: string
  email: string
  note: string
  tagsJson: string
}

/**
 * Why fields cannot be kept, as a sentence, or null. One rule for everything that puts contacts into the book, so that what it exports it
 * takes again. Names and e-mails come without spaces around them.
 */
export function fieldProblem({ name, email, note, tagsJson }: ContactFields): string | null {
  if (name.length > contactLimits.name) return 'The name is longer than 1,000 characters.'
  const problem = emailProblem(email)
  if (problem !== null) return problem
  if (note.length > contactLimits.note) return 'The note is longer than 20,000 characters.'
  if (tagsJson.length > contactLimits.tagsJson) return 'The tags are longer than 20,000 characters.'
  if (name.includes('\0') || email.includes('\0') || note.includes('\0') || tagsJson.includes('\\u0000'))
    return 'It holds a NUL character.'
  return null
}
