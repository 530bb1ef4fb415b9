import type { ContactFilter, ContactState } from '#contract/people/contacts.ts'
import type { LocationQuery } from 'vue-router'
import { tagOf, tagText } from '../../shared/people/contact-tags.ts'
import { t } from './contacts.texts.ts'

/** States in the order of a contact's life. */
export const states = [
  'local',
  'waiting',
  'in-flight',
  'service',
  'failed',
  'discarded',
  'unknown',
  'deleting',
] as const satisfies ContactState[]
/** The contract’s limits: characters of a text, number of tags. */
export const longestText = 200
const mostTags = 20
const isState = (word: string): word is ContactState => (states as readonly string[]).includes(word)
const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

/** The filter of an address. `unread`: its invalid parts. */
export function addressToFilter(query: LocationQuery): { filter: ContactFilter; unread: string[] } {
  const unread: string[] = []
  const filter: ContactFilter = {}
  const text = textOf(query['text']).trim()
  if (text.length > longestText) unread.push(t('filter.ignoredText', { n: text.length }))
  else if (text !== '') filter.text = text
  const asked = textOf(query['state'])
    .split(',')
    .filter((word) => word !== '')
  const known = asked.filter(isState)
  if (known.length > 0) filter.states = known
  unread.push(...asked.filter((word) => !isState(word)).map((word) => `state ${word}`))
  for (const name of ['dnc', 'held', 'changedHere'] as const) {
    const value = textOf(query[name])
    if (value === 'yes' || value === 'no') filter[name] = value === 'yes'
    else if (value !== '') unread.push(`${name} ${value}`)
  }
  const typedTags = [query['tag'] ?? []].flat().map(textOf)
  const tags = typedTags.flatMap((tag) => tagOf(tag) ?? [])
  if (tags.length > mostTags) unread.push(t('filter.ignoredTags', { n: mostTags }))
  else if (tags.length > 0) filter.tags = tags
  unread.push(...typedTags.filter((tag) => tagOf(tag) === null).map((tag) => `tag ${tag}`))
  const importId = textOf(query['import'])
  if (importId !== '') filter.importId = importId
  return { filter, unread }
}

export function filterToAddress({
  text,
  states: wanted,
  dnc,
  held,
  changedHere,
  tags,
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
    ...(importId === undefined ? {} : { import: importId }),
  }
}

/** True without a filter: rows can then be read by index. */
export const isUnfiltered = (filter: ContactFilter): boolean =>
  Object.keys(filterToAddress(filter)).length === 0
