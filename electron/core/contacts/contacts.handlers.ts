import { implement } from '@orpc/server'
import { contactsContract } from '../../contract/contacts.ts'
import type { CoreContext } from '../context.ts'

const os = implement(contactsContract).$context<CoreContext>()

export const contactsHandlers = {
  list: os.list.handler(({ context, input }) => context.workspace().contacts.list(input)),
  count: os.count.handler(({ context, input }) => context.workspace().contacts.count(input.filter)),
  summary: os.summary.handler(({ context }) => context.workspace().contacts.summary()),
  watch: os.watch.handler(({ context, signal }) =>
    context.workspace().contacts.watch(signal ?? new AbortController().signal),
  ),
  tagKeys: os.tagKeys.handler(({ context }) => context.workspace().contacts.tagKeys()),
  get: os.get.handler(({ context, input }) => context.workspace().contacts.get(input.id)),
  byPhone: os.byPhone.handler(({ context, input }) => ({
    contact: context.workspace().contacts.byPhone(input.phone),
  })),
  create: os.create.handler(({ context, input }) => context.workspace().contacts.create(input)),
  update: os.update.handler(({ context, input }) =>
    context.workspace().contacts.update(input.id, input.draft, input.basedOn),
  ),
  setNote: os.setNote.handler(({ context, input }) =>
    context.workspace().contacts.setNote(input.id, input.note),
  ),
  preview: os.preview.handler(({ context, input }) => context.workspace().contacts.preview(input)),
  tag: os.tag.handler(({ context, input }) => context.workspace().contacts.tag(input)),
  tagBatch: os.tagBatch.handler(({ context }) => context.workspace().contacts.tagBatch()),
  undoTags: os.undoTags.handler(({ context, input }) => context.workspace().contacts.undoTags(input.batchId)),
  push: os.push.handler(({ context, input }) => context.workspace().contacts.push(input)),
  delete: os.delete.handler(({ context, input }) =>
    context.workspace().contacts.delete(input.selection, input.confirmName),
  ),
  export: os.export.handler(({ context, input }) => context.workspace().exportContacts(input)),
}
