import type { ContactDraft, ContactRow } from '#contract/contacts.ts'

/** A contact as it is typed: its tags as lines, so that a key may be anything. */
export interface TypedContact {
  name: string
  phone: string
  email: string
  tags: { key: string; value: string }[]
  /** For a new contact that already exists on the service. */
  serviceId: string
}

/** An empty form, except for a number passed by another page. */
export const emptyContact = (phone = ''): TypedContact => ({
  name: '',
  phone,
  email: '',
  tags: [],
  serviceId: '',
})

/** A contact as it is typed from. */
export const toTyped = ({ name, phone, email, tags }: ContactRow): TypedContact => ({
  name,
  phone,
  email,
  tags: Object.entries(tags).map(([key, value]) => ({ key, value })),
  serviceId: '',
})

/** What is sent. Tags without a key are left out; of two with the same key the last counts, as `doubleKeys` tells. */
export function toDraft(typed: TypedContact, region: string): ContactDraft {
  const { name, phone, email, tags } = typed
  return { name: name.trim(), phone: phone.trim(), region, email: email.trim(), tags: tagsOf(tags) }
}

/** Lines of tags as the contract takes them, whatever their keys are. */
export function tagsOf(lines: TypedContact['tags']): Record<string, string> {
  const tags = Object.create(null) as Record<string, string>
  for (const { key, value } of lines) if (key.trim() !== '') tags[key.trim()] = value
  return tags
}

/** Keys that stand on more than one line. */
export function doubleKeys({ tags }: Pick<TypedContact, 'tags'>): string[] {
  const keys = tags.map(({ key }) => key.trim()).filter((key) => key !== '')
  return [...new Set(keys.filter((key, at) => keys.indexOf(key) !== at))]
}
