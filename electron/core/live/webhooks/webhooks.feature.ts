import type { AppError } from '../../../contract/errors.ts'
import { webhooksContract } from '../../../contract/live/webhooks.ts'
import type { AnswersService } from '../../platform/answers/answers.feature.ts'
import type { Ports } from '../../ports.ts'
import type { JournalFile } from '../events/journal-reader.ts'
import type { ListenerService } from '../listener/listener.service.ts'
import { createMoveListener } from './move-listener.ts'
import { createWebhooksService, type WebhooksService } from './webhooks.service.ts'
import type { ServiceParts } from '../../service/parts.ts'
import { handlersOf } from '../../platform/rpc/handlers.ts'

export const webhooksHandlers = handlersOf(
  webhooksContract,
  ({ webhooks }: { webhooks: WebhooksService }) => webhooks,
)

/** Subscriptions, the round-trip test, and moving the listener with its subscriptions. */
export function createWebhooksFeature(
  parts: ServiceParts & {
    listener: ListenerService
    journal: JournalFile
    answers: AnswersService
    ports: Pick<Ports, 'openSandbox'>
    notice: (id: string, error: AppError) => void
    clearNotice: (id: string) => void
  },
) {
  const webhooks = createWebhooksService(parts)
  parts.listener.setWebhooks(webhooks)
  const { relearnSecrets, ...move } = createMoveListener({ ...parts, webhooks })
  let unwatch: (() => void)[] = []
  return {
    service: { ...webhooks, ...move },
    start() {
      unwatch = [
        parts.network.onReached(webhooks.readAgain),
        parts.credentials.onChange(({ status }) => {
          if (status === 'expired' || status === 'signed-out') webhooks.readAgain()
        }),
      ]
      return relearnSecrets()
    },
    stop() {
      for (const end of unwatch) end()
      webhooks.stop()
    },
  }
}
