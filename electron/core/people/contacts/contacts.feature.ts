import { implement } from '@orpc/server'
import type { InputOf } from '../../../contract/define.ts'
import { contactsContract, contactFiltersMax } from '../../../contract/people/contacts.ts'
import { utcDay } from '../../../lib/iso-time.ts'
import type { DncService } from '../dnc/dnc.service.ts'
import type { OutboxService } from '../outbox/outbox.service.ts'
import { createNamedList } from '../team/named-list.ts'
import type { SharedValues } from '../team/shared-values.ts'
import { createContactsService } from './contacts.service.ts'
import type { PeopleParts } from '../parts.ts'

const os = implement(contactsContract).$context<{ contacts: ContactsFeature }>()

const saved = ({ filters, ...rest }: ReturnType<ContactsFeature['savedFilters']['list']>) => ({
  filters: filters.map(({ value: filter, ...one }) => ({ ...one, filter })),
  ...rest,
})

export const contactsHandlers = {
  list: os.list.handler(({ context, input }) => context.contacts.list(input)),
  count: os.count.handler(({ context, input }) => context.contacts.count(input.filter)),
  savedFilters: os.savedFilters.handler(({ context }) => saved(context.contacts.savedFilters.list())),
  saveFilter: os.saveFilter.handler(({ context, input }) =>
    saved(context.contacts.savedFilters.save(input.name, input.filter)),
  ),
  removeFilter: os.removeFilter.handler(({ context, input }) =>
    saved(context.contacts.savedFilters.remove(input.name)),
  ),
  summary: os.summary.handler(({ context }) => context.contacts.summary()),
  watch: os.watch.handler(({ context, signal }) => context.contacts.watch(signal!)),
  tagKeys: os.tagKeys.handler(({ context }) => context.contacts.tagKeys()),
  get: os.get.handler(({ context, input }) => context.contacts.get(input.id)),
  byPhone: os.byPhone.handler(({ context, input }) => ({ contact: context.contacts.byPhone(input.phone) })),
  names: os.names.handler(({ context, input }) => context.contacts.names(input.numbers)),
  create: os.create.handler(({ context, input }) => context.contacts.create(input)),
  update: os.update.handler(({ context, input }) =>
    context.contacts.update(input.id, input.draft, input.basedOn),
  ),
  setNote: os.setNote.handler(({ context, input }) => context.contacts.setNote(input.id, input.note)),
  preview: os.preview.handler(({ context, input }) => context.contacts.preview(input)),
  tag: os.tag.handler(({ context, input }) => context.contacts.tag(input)),
  tagBatch: os.tagBatch.handler(({ context }) => context.contacts.tagBatch()),
  undoTags: os.undoTags.handler(({ context, input }) => context.contacts.undoTags(input.batchId)),
  push: os.push.handler(({ context, input }) => context.contacts.push(input)),
  delete: os.delete.handler(({ context, input }) =>
    context.contacts.delete(input.selection, input.confirmName),
  ),
  export: os.export.handler(({ context, input }) => context.contacts.export(input)),
}

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
    savedFilters: createNamedList(parts.shared, 'contact-filter', contactFiltersMax),
    export: (input: ContactExport) => startExport(`contacts-${utcDay(clock.now())}.${input.format}`, input),
    withNumber: (digits: number) => contactList.byDigits([digits])[0] ?? null,
  }
  return { service, start: contacts.start }
}
