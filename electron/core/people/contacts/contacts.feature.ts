import type { InputOf } from '../../../contract/define.ts'
import { contactsContract, contactFiltersMax } from '../../../contract/people/contacts.ts'
import { utcDay } from '../../../lib/iso-time.ts'
import type { DncService } from '../dnc/dnc.service.ts'
import type { OutboxService } from '../outbox/outbox.service.ts'
import { createNamedList } from '../team/named-list.ts'
import type { SharedValues } from '../team/shared-values.ts'
import { createContactsService } from './contacts.service.ts'
import type { PeopleParts } from '../parts.ts'
import { handlersOf } from '../../platform/rpc/handlers.ts'

export const contactsHandlers = handlersOf(
  contactsContract,
  ({ contacts }: { contacts: ContactsFeature }) => ({
    ...contacts,
    byPhone: ({ phone }) => ({ contact: contacts.byPhone(phone) }),
  }),
)

type ContactsFeature = ReturnType<typeof createContactsFeature>['service']

type ContactExport = InputOf<typeof contactsContract, 'export'>

export function createContactsFeature(
  parts: PeopleParts & {
    outbox: OutboxService
    dnc: DncService
    shared: SharedValues
    imports: { name: (importId: string) => string | null }
  },
) {
  const { contactList, dnc, clock } = parts
  const startExport = parts.fileTasks.define<'export', ContactExport>('export', (input) => input)
  const contacts = createContactsService({
    ...parts,
    list: contactList,
    factsOf: dnc.factsOf,
    dncList: dnc.listState,
    blockedBecause: dnc.blockedBecause,
    importName: parts.imports.name,
  })
  const service = {
    ...contacts,
    ...createNamedList(parts.shared, 'contact-filter', contactFiltersMax),
    export: (input: ContactExport) => startExport(`contacts-${utcDay(clock.now())}.${input.format}`, input),
    withNumber: (digits: number) => contactList.byDigits([digits])[0] ?? null,
  }
  return { service, start: contacts.start }
}
