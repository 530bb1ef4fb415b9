import type { Status } from '../../contract/connection/status.ts'
import { t } from './texts.ts'

export type TrayState = 'listening' | 'trouble' | 'offline'

/**
 * Icon state and tooltip for a core status, the most urgent problem first. Null: the core does not answer. `troubled` are
 * the other connections that need attention.
 */
export function trayLook(
  status: Pick<Status, 'connection' | 'session' | 'network' | 'listener'> | null,
  troubled: readonly string[] = [],
): { state: TrayState; text: string } {
  if (status === null) return { state: 'trouble', text: t('tray.noAnswer') }
  const { connection, session, network, listener } = status
  if (connection === null) return { state: 'offline', text: t('tray.notConnected') }
  const { name } = connection
  if (listener.state === 'failed' || (listener.state === 'listening' && listener.problem))
    return { state: 'trouble', text: t('tray.listenerDown', { name }) }
  if (session.state === 'expired' || session.state === 'signed-out')
    return { state: 'trouble', text: t('tray.signedOut', { name }) }
  if (network.reachable === false) return { state: 'offline', text: t('tray.unreachable', { name }) }
  if (troubled[0] !== undefined)
    return { state: 'trouble', text: t('tray.needsAttention', { name: troubled[0] }) }
  if (listener.state === 'listening') return { state: 'listening', text: t('tray.listening', { name }) }
  return { state: 'offline', text: t('tray.notListening', { name }) }
}
