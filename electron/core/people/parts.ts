import type { ServiceParts } from '../service/parts.ts'
import type { ContactList } from './contact-store/contact-list.ts'
import type { ContactStore } from './contact-store/contact-store-client.ts'

export interface PeopleParts extends ServiceParts {
  contactStore: ContactStore
  contactList: ContactList
}
