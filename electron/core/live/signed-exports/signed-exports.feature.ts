import { signedExportsContract } from '../../../contract/live/signed-exports.ts'
import type { Ports } from '../../ports.ts'
import type { EventsFeature } from '../events/events.feature.ts'
import { createSignedExportsService, type SignedExportsService } from './signed-exports.service.ts'
import type { PlatformParts } from '../../platform/parts.ts'
import { handlersOf } from '../../platform/rpc/handlers.ts'

interface Slice {
  about(): { version: string }
  signedExports: SignedExportsService
}

export const signedExportsHandlers = handlersOf(signedExportsContract, ({ signedExports, about }: Slice) => ({
  ...signedExports,
  export: (period) => signedExports.export(period, about().version),
}))

/** Signed exports of a period, and their verification. */
export function createSignedExportsFeature(
  parts: PlatformParts & {
    journalFile: string
    events: EventsFeature
    ports: Pick<Ports, 'secrets'>
  },
) {
  const { events, files, ports } = parts
  return {
    service: createSignedExportsService({
      ...parts,
      gaps: events.gaps,
      events: events.projector,
      store: files,
      secrets: ports.secrets,
    }),
  }
}
