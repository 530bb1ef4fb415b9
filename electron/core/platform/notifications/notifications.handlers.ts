import { notificationsContract } from '../../../contract/platform/notifications.ts'
import type { AlertWebhookService } from './alert-webhook.ts'
import type { NotificationsService } from './notifications.service.ts'
import { handlersOf } from '../rpc/handlers.ts'

interface Slice {
  alertWebhook: AlertWebhookService
  notifications: NotificationsService
}

export const notificationsHandlers = handlersOf(
  notificationsContract,
  ({ notifications, alertWebhook }: Slice) => ({
    ...notifications,
    dismiss: ({ seq }) => notifications.dismiss(seq),
    watchWebhook: alertWebhook.watch,
    setWebhook: alertWebhook.set,
    removeWebhook: alertWebhook.remove,
    testWebhook: alertWebhook.test,
  }),
)
