import { implement } from '@orpc/server'
import { contactsContract } from '../../../contract/contacts.ts'
import type { createContactExport } from './contact-export.ts'
import type { ContactsService } from './contacts.service.ts'

/** What the handlers use of a call. A getter throws NO_CONNECTION while no connection is open. */
interface Slice {
  contacts: ContactsService
  exportContacts: ReturnType<typeof createContactExport>
}

const os = implement(contactsContract).$context<Slice>()

export const contactsHandlers = {
  list: os.list.handler(({ context, input }) => context.contacts.list(input)),
  count: os.count.handler(({ context, input }) => context.contacts.count(input.filter)),
  summary: os.summary.handler(({ context }) => context.contacts.summary()),
  watch: os.watch.handler(({ context, signal }) =>
    context.contacts.watch(signal ?? new AbortController().signal),
  ),
  tagKeys: os.tagKeys.handler(({ context }) => context.contacts.tagKeys()),
  get: os.get.handler(({ context, input }) => context.contacts.get(input.id)),
  byPhone: os.byPhone.handler(({ context, input }) => ({
    contact: context.contacts.byPhone(input.phone),
  })),
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
  export: os.export.handler(({ context, input }) => context.exportContacts(input)),
}
