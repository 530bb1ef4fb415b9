import type { Status } from '../../contract/connection/status.ts'

export type TrayState = 'listening' | 'trouble' | 'offline'

/**
 * Icon state and tooltip for a core status, the most urgent problem first. Null: the core does not answer.
 */
export function trayLook(status: Pick<Status, 'connection' | 'session' | 'network' | 'listener'> | null): {
  state: TrayState
  text: string
} {
  if (status === null) return { state: 'trouble', text: 'Switchboard: not responding' }
  const { connection, session, network, listener } = status
  if (connection === null) return { state: 'offline', text: 'Switchboard: not connected' }
  const of = (state: TrayState, words: string) => ({
    state,
    text: `Switchboard, ${connection.name}: ${words}`,
  })
  if (listener.state === 'failed') return of('trouble', 'listener down')
  if (session.state === 'expired' || session.state === 'signed-out') return of('trouble', 'signed out')
  if (network.reachable === false) return of('offline', 'service unreachable')
  if (listener.state === 'listening') return of('listening', 'listening')
  return of('offline', 'not listening')
}
