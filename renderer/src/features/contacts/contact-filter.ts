import type { ContactFilter, ContactState } from '#contract/contacts.ts'
import type { LocationQuery } from 'vue-router'

/** States in the order of a contact's life, with the words an operator reads. */
export const stateWords: Record<ContactState, string> = {
  local: 'only here',
  waiting: 'waiting',
  'in-flight': 'being sent',
  service: 'on the service',
  failed: 'push failed or kept back',
  discarded: 'discarded, may be there',
  unknown: 'unknown outcome',
  deleting: 'being deleted',
}

const states = Object.keys(stateWords) as ContactState[]
/** Most characters of a text, and tags, that the contract lets through. */
export const longestText = 200
const mostTags = 20
const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

/** The filter that an address asks for. What it says that cannot be understood is told in `unread`. */
export function addressToFilter(query: LocationQuery): { filter: ContactFilter; unread: string[] } {
  const unread: string[] = []
  const filter: ContactFilter = {}
  const text = textOf(query['text']).trim()
  if (text.length > longestText) unread.push(`text of ${text.length} characters`)
  else if (text !== '') filter.text = text
  const asked = textOf(query['state'])
    .split(',')
    .filter((word) => word !== '')
  const known = asked.filter((word): word is ContactState => states.includes(word as ContactState))
  if (known.length > 0) filter.states = known
  unread.push(
    ...asked.filter((word) => !states.includes(word as ContactState)).map((word) => `state ${word}`),
  )
  for (const name of ['dnc', 'held', 'changedHere'] as const) {
    const value = textOf(query[name])
    if (value === 'yes' || value === 'no') filter[name] = value === 'yes'
    else if (value !== '') unread.push(`${name} ${value}`)
  }
  const tagsThat = textOf(query['tags'])
  if (tagsThat === 'unreadable') filter.tagsUnreadable = true
  else if (tagsThat !== '') unread.push(`tags ${tagsThat}`)
  const typedTags = [query['tag'] ?? []].flat().map(textOf)
  const tags = typedTags.flatMap((tag) => tagOf(tag) ?? [])
  if (tags.length > mostTags) unread.push(`more than ${mostTags} tags`)
  else if (tags.length > 0) filter.tags = tags
  unread.push(...typedTags.filter((tag) => tagOf(tag) === null).map((tag) => `tag ${tag}`))
  const importId = textOf(query['import'])
  if (importId !== '') filter.importId = importId
  return { filter, unread }
}

/** The address of a filter. */
export function filterToAddress({
  text,
  states: wanted,
  dnc,
  held,
  changedHere,
  tags,
  tagsUnreadable,
  importId,
}: ContactFilter) {
  const yesNo = (value: boolean) => (value ? 'yes' : 'no')
  return {
    ...(text ? { text } : {}),
    ...(wanted && wanted.length > 0 ? { state: wanted.join(',') } : {}),
    ...(dnc === undefined ? {} : { dnc: yesNo(dnc) }),
    ...(held === undefined ? {} : { held: yesNo(held) }),
    ...(changedHere === undefined ? {} : { changedHere: yesNo(changedHere) }),
    ...(tags && tags.length > 0 ? { tag: tags.map(tagText) } : {}),
    ...(tagsUnreadable ? { tags: 'unreadable' } : {}),
    ...(importId === undefined ? {} : { import: importId }),
  }
}

/** A tag as it is typed: `key=value`, or `key` alone. Null when there is no key. */
export function tagOf(text: string): { key: string; value: string | null } | null {
  const at = text.indexOf('=')
  const key = (at < 0 ? text : text.slice(0, at)).trim()
  if (key === '') return null
  return { key, value: at < 0 ? null : text.slice(at + 1).trim() }
}

/** A wanted tag as it is typed: `tagOf` reads it as it was. */
export const tagText = ({ key, value }: { key: string; value: string | null }): string =>
  value === null ? key : `${key}=${value}`

/** A tag that a contact has, as it is shown: `key=value`, and one without a value by its key alone. */
export const tagLabel = (key: string, value: string): string => (value === '' ? key : `${key}=${value}`)

/** True when nothing is left out: rows can then be jumped to by their place. */
export const isWholeBook = (filter: ContactFilter): boolean =>
  Object.keys(filterToAddress(filter)).length === 0
