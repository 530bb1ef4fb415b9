import { implement } from '@orpc/server'
import { signedExportsContract } from '../../../contract/live/signed-exports.ts'
import type { Ports } from '../../ports.ts'
import type { EventsFeature } from '../events/events.feature.ts'
import { createSignedExportsService, type SignedExportsService } from './signed-exports.service.ts'
import type { PlatformParts } from '../../platform/parts.ts'

const os = implement(signedExportsContract).$context<{
  about(): { version: string }
  signedExports: SignedExportsService
}>()

export const signedExportsHandlers = {
  key: os.key.handler(({ context }) => ({ key: context.signedExports.key() })),
  export: os.export.handler(({ context, input }) =>
    context.signedExports.export(input, context.about().version),
  ),
  verify: os.verify.handler(({ context, input, signal }) =>
    context.signedExports.verify(input.fileId, signal!),
  ),
}

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
