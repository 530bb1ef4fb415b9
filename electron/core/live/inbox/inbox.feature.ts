import { inboxContract } from '../../../contract/live/inbox.ts'
import type { SentMessage } from '../../../contract/people/sent.ts'
import type { ContactsService } from '../../people/contacts/contacts.service.ts'
import type { DncService } from '../../people/dnc/dnc.service.ts'
import type { SharedValues } from '../../people/team/shared-values.ts'
import type { EventsFeature } from '../events/events.feature.ts'
import { createInboxRepository } from './inbox.repository.ts'
import { createInboxService, type InboxService } from './inbox.service.ts'
import type { PlatformParts } from '../../platform/parts.ts'
import { handlersOf } from '../../platform/rpc/handlers.ts'

export const inboxHandlers = handlersOf(inboxContract, ({ inbox }: { inbox: InboxService }) => inbox)

/** Inbound messages as conversations by sender. */
export function createInboxFeature(
  parts: PlatformParts & {
    events: Pick<EventsFeature, 'repository' | 'projector'>
    contacts: ContactsService
    dnc: DncService
    shared: SharedValues
    templates: { sentTo: (phone: string) => SentMessage[] }
    onChange: () => void
  },
) {
  const service = createInboxService({
    ...parts,
    repository: createInboxRepository(
      parts.stateDb,
      parts.shared,
      () => parts.connection().country,
      // Also asks about a number that only may be listed: the doubt can go away later.
      (digits) => parts.dnc.factsOf(digits).dncEntry?.isSure === true,
    ),
    events: parts.events.repository,
    projector: parts.events.projector,
    sentTo: parts.templates.sentTo,
  })
  let stop = () => {}
  return {
    service,
    start() {
      stop = service.start()
    },
    stop: () => stop(),
  }
}
