import { implement } from '@orpc/server'
import { notificationsContract } from '../../../contract/platform/notifications.ts'
import type { AlertWebhookService } from './alert-webhook.ts'
import type { NotificationsService } from './notifications.service.ts'

interface Slice {
  alertWebhook: AlertWebhookService
  notifications: NotificationsService
}

const os = implement(notificationsContract).$context<Slice>()

export const notificationsHandlers = {
  get: os.get.handler(({ context }) => context.notifications.get()),
  set: os.set.handler(({ context, input }) => context.notifications.set(input)),
  watch: os.watch.handler(({ context, signal }) => context.notifications.watch(signal!)),
  watchWebhook: os.watchWebhook.handler(({ context, signal }) => context.alertWebhook.watch(signal!)),
  setWebhook: os.setWebhook.handler(({ context, input }) => context.alertWebhook.set(input)),
  removeWebhook: os.removeWebhook.handler(({ context }) => context.alertWebhook.remove()),
  testWebhook: os.testWebhook.handler(({ context }) => context.alertWebhook.test()),
  dismiss: os.dismiss.handler(({ context, input }) => context.notifications.dismiss(input.seq)),
}
