import { errorCodesContract } from '../../../contract/views/error-codes.ts'
import type { SharedValues } from '../../people/team/shared-values.ts'
import { createErrorCodesRepository } from './error-codes.repository.ts'
import { createErrorCodesService, type ErrorCodesService } from './error-codes.service.ts'
import type { ServiceParts } from '../../service/parts.ts'
import { handlersOf } from '../../platform/rpc/handlers.ts'

export const errorCodesHandlers = handlersOf(
  errorCodesContract,
  ({ errorCodes }: { errorCodes: ErrorCodesService }) => errorCodes,
)

/** From the first sign-in until the codes are fetched. Pages that the operator opens load first. */
const firstFillMs = 5 * 60_000

/** Meanings of error codes, stored for offline use, with notes. */
export function createErrorCodesFeature(
  parts: ServiceParts & {
    shared: SharedValues
  },
) {
  const repository = createErrorCodesRepository(parts.cacheDb, parts.stateDb)
  const service = createErrorCodesService({ ...parts, repository })
  const { credentials, clock, log } = parts
  const stopping = new AbortController()
  let cancel = () => {}
  let unwatch = () => {}

  /** Fetches the codes once. Without any answer, it is tried again after the next sign-in or start. */
  function fillLater(): void {
    cancel()
    if (credentials.state().status !== 'signed-in' || !service.isEmpty()) return
    cancel = clock.after(
      firstFillMs,
      () =>
        void service.fillFirst(stopping.signal).catch((error: unknown) => {
          if (!stopping.signal.aborted) log.info('Could not fetch error codes', { error })
        }),
    )
  }

  return {
    service,
    start() {
      unwatch = credentials.onChange(fillLater)
      fillLater()
    },
    stop() {
      unwatch()
      cancel()
      stopping.abort()
    },
  }
}
