import type { ListenerStatus } from '../../../contract/live/listener.ts'
import type { Status } from '../../../contract/connection/status.ts'
import type { Clock } from '../../../lib/clock.ts'
import { readBudget, readSession } from '../connection-activity.ts'
import type { OpenConnection } from '../open-connection.ts'

/** Without an open connection. */
export const noListener: ListenerStatus = {
  state: 'stopped',
  relay: null,
  url: null,
  problem: null,
  listeningSince: null,
  acknowledged: 0,
  unsigned: 0,
  refused: 0,
  refusedLastMinute: 0,
  lastRefusalReason: null,
  notStored: 0,
  lastDeliveryAt: null,
  withoutSecret: false,
  secretsNotKnown: [],
  silence: null,
}

/** The status of the connection in front. */
export function readStatus(
  open: OpenConnection | null,
  clock: Clock,
): Omit<Status, 'notices' | 'asOf' | 'secrets'> {
  if (!open) {
    return {
      connection: null,
      session: { state: 'none', problem: null, endsAt: null },
      network: { reachable: null, lastAnswerAt: null, problem: null },
      listener: noListener,
      budget: null,
      projectionLag: 0,
      storedEvents: 0,
      unreadConversations: 0,
    }
  }
  const { features } = open
  const { watermark, storedTotal } = features.events.projector.state()
  return {
    connection: open.connection(),
    session: readSession(open),
    network: open.network.state(),
    listener: features.listener.status(),
    budget: readBudget(open.client.budget, clock),
    projectionLag: Math.max(0, features.listener.journalSeq() - watermark),
    storedEvents: storedTotal,
    unreadConversations: features.inbox.state().unread,
  }
}
