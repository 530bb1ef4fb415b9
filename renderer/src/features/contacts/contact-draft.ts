import type { ContactDraft, ContactRow } from '#contract/contacts.ts'

/** A contact as it is typed: its tags as lines, so that a key may be anything. */
export interface TypedContact {
  name: string
  phone: string
  email: string
  tags: { key: string; value: string }[]
}

export const emptyContact = (): TypedContact => ({ name: '', phone: '', email: '', tags: [] })

export const toTyped = ({ name, phone, email, tags }: ContactRow): TypedContact => ({
  name,
  phone,
  email,
  tags: Object.entries(tags).map(([key, value]) => ({ key, value })),
})

/** What is sent. Tags without a key are left out; of two with the same key the last counts, as `doubleKeys` tells. */
export function toDraft(typed: TypedContact, region: string): ContactDraft {
  const tags = Object.create(null) as Record<string, string>
  for (const { key, value } of typed.tags) if (key.trim() !== '') tags[key.trim()] = value
  return { name: typed.name.trim(), phone: typed.phone.trim(), region, email: typed.email.trim(), tags }
}

export function doubleKeys({ tags }: TypedContact): string[] {
  const keys = tags.map(({ key }) => key.trim()).filter((key) => key !== '')
  return [...new Set(keys.filter((key, at) => keys.indexOf(key) !== at))]
}
