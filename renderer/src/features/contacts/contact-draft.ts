import type { ContactDetail, ContactDraft } from '#contract/people/contacts.ts'

/** A contact in the form; tags are rows, so that a key may be anything. */
export interface TypedContact {
  name: string
  firstName: string
  lastName: string
  phone: string
  email: string
  tags: { key: string; value: string }[]
  /** For a new contact that the service already has. */
  serviceId: string
}

/** An empty form, except for a number passed by another page. */
export const emptyContact = (phone = ''): TypedContact => ({
  name: '',
  firstName: '',
  lastName: '',
  phone,
  email: '',
  tags: [],
  serviceId: '',
})

export const toTyped = ({
  contact: { name, phone, email, tags },
  firstName,
  lastName,
}: ContactDetail): TypedContact => ({
  name,
  firstName,
  lastName,
  phone,
  email,
  tags: Object.entries(tags).map(([key, value]) => ({ key, value })),
  serviceId: '',
})

/** The contact to save. Tags without a key are skipped; of repeated keys the last one counts. */
export function toDraft(typed: TypedContact, region: string | null): ContactDraft {
  const { name, firstName, lastName, phone, email, tags } = typed
  return {
    name: name.trim(),
    firstName: firstName.trim(),
    lastName: lastName.trim(),
    phone: phone.trim(),
    region,
    email: email.trim(),
    tags: tagsOf(tags),
  }
}

/** Tag rows as an object. Any key is safe, even `__proto__`. */
export function tagsOf(lines: TypedContact['tags']): Record<string, string> {
  const tags = Object.create(null) as Record<string, string>
  for (const { key, value } of lines) if (key.trim() !== '') tags[key.trim()] = value
  return tags
}

/** Keys on more than one row. */
export function doubleKeys({ tags }: Pick<TypedContact, 'tags'>): string[] {
  const keys = tags.map(({ key }) => key.trim()).filter((key) => key !== '')
  return [...new Set(keys.filter((key, at) => keys.indexOf(key) !== at))]
}
