import { AppError, errorPhrase, isAppError } from '../../../contract/errors.ts'
import type { ListenerConfig, RelayOrder } from '../../../contract/live/listener.ts'
import type { Phrase } from '../../../contract/phrases.ts'
import type { Ports } from '../../ports.ts'
import { removeSandboxSubscription } from '../../service/client/sandbox-admin.ts'
import type { ListenerService, ListenerView } from '../listener/listener.service.ts'
import type { WebhooksService } from './webhooks.service.ts'
import type { PlatformParts } from '../../platform/parts.ts'

/** How long the listener's start waits for the sandbox's secrets, in milliseconds. */
const relearnMs = 2_000

/** Moves the listener, and updates its subscriptions where possible. */
export function createMoveListener(
  parts: Pick<PlatformParts, 'connection' | 'clock' | 'log'> & {
    listener: ListenerService
    webhooks: Pick<WebhooksService, 'idsAt' | 'replace' | 'ensure' | 'relearnSecrets'>
    ports: Pick<Ports, 'openSandbox'>
    notice: (id: string, error: AppError) => void
    clearNotice: (id: string) => void
  },
) {
  const { listener, webhooks, ports, log } = parts
  const { id, kind } = parts.connection()
  const leftBehind = `left-behind/${id}`
  /** The last address that subscriptions may point to. */
  let lastUrl: string | null = null

  /** Shows how many subscriptions still point to the old address. */
  async function reportLeftBehind(url: string): Promise<void> {
    try {
      const { length: count } = await webhooks.idsAt(url)
      if (count > 0) parts.notice(leftBehind, new AppError('SUBSCRIPTIONS_LEFT_BEHIND', { count, url }))
      else parts.clearNotice(leftBehind)
    } catch (error) {
      log.info('Could not read the subscriptions after the listener moved', { error })
    }
  }

  /** Recreates the old address's subscriptions at the new one. False on failure; the caller then shows a notice. */
  async function replaceSubscriptionsAt(from: string, to: string): Promise<boolean> {
    try {
      await webhooks.replace(from, to)
      // Only the sandbox has a call to remove one. On a service, use its dashboard.
      if (kind === 'sandbox') {
        const sandbox = await ports.openSandbox()
        for (const subscription of await webhooks.idsAt(from))
          await removeSandboxSubscription(sandbox, subscription)
      }
      parts.clearNotice(leftBehind)
      return true
    } catch (error) {
      log.error('Could not replace the subscriptions after the listener moved', { error })
      return false
    }
  }

  /** Runs before the listener starts. Otherwise it rejects what the sandbox signs with a secret lost in a restart. */
  async function relearnSecrets(): Promise<void> {
    if (kind !== 'sandbox') return
    try {
      await listener.reloadSecrets()
      await Promise.race([webhooks.relearnSecrets(), parts.clock.sleep(relearnMs)])
    } catch (error) {
      log.info('The sandbox did not return its secrets', { error })
    }
  }

  /** Subscribes at the built-in sandbox without asking. Does nothing for a service. */
  async function pointSandboxHere(): Promise<void> {
    const { url } = listener.status()
    if (kind !== 'sandbox' || url === null) return
    try {
      await webhooks.ensure(url)
      parts.clearNotice('sandbox-subscription')
    } catch (error) {
      log.error('Could not subscribe to the sandbox', { error })
      if (isAppError(error))
        parts.notice(
          'sandbox-subscription',
          new AppError('SUBSCRIPTION_NOT_MADE', { url, reason: whyRefused(error) }),
        )
    }
  }

  /**
   * Shows a notice when the service still delivers to the old address. Without `config`, follows the address that
   * another connection changed.
   */
  async function moveListener(
    config: ListenerConfig | null,
    replaceSubscriptions: boolean,
  ): Promise<ListenerView> {
    const before = listener.status().url ?? lastUrl
    const view = await (config ? listener.configure(config) : listener.follow())
    const after = view.status.url
    const moved = before !== null && after !== null && before !== after
    const replaced = moved && replaceSubscriptions && (await replaceSubscriptionsAt(before, after))
    if (kind === 'sandbox' && after !== null) await pointSandboxHere()
    else if (before !== null && before !== after && !replaced) void reportLeftBehind(before)
    if (after !== null) lastUrl = after
    if (before !== null && before === after) parts.clearNotice(leftBehind)
    return view
  }

  /** Shows a notice when subscriptions still point to a port that is closed now. */
  async function setRelay(order: RelayOrder): Promise<ListenerView> {
    const before = listener.status().url ?? lastUrl
    const view = await listener.setRelay(order)
    const after = view.status.url
    if (before !== null && after === null) void reportLeftBehind(before)
    else if (after === before) parts.clearNotice(leftBehind)
    if (after !== null) void pointSandboxHere()
    return view
  }

  return { moveListener, setRelay, pointSandboxHere, relearnSecrets }
}

/** The service's message, else the error. */
function whyRefused(error: AppError): Phrase {
  const { serviceText } = error.data
  if (typeof serviceText === 'string' && serviceText !== '')
    return { key: 'listener.serviceSaid', text: serviceText }
  return errorPhrase(error)
}
