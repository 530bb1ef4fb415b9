import type { Said } from '../../../contract/phrases.ts'
import { basename } from 'node:path'
import type { Connection } from '../../../contract/connection/connections.ts'
import { AppError } from '../../../contract/errors.ts'
import {
  listenerContract,
  type ListenerMove,
  type ListenerStatus,
  type RelayOrder,
} from '../../../contract/live/listener.ts'
import type { Notice } from '../../../contract/connection/status.ts'
import type { Ports } from '../../ports.ts'
import type { EventsFeature } from '../events/events.feature.ts'
import type { JournalFile } from '../events/journal-reader.ts'
import { createListenerService, type ListenerService, type ListenerView } from './listener.service.ts'
import { outgoingPorts } from './free-port.ts'
import type { DncService } from '../../people/dnc/dnc.service.ts'
import type { OutboxFeature } from '../../people/outbox/outbox.feature.ts'
import type { ListenerPlace } from './listener-settings.ts'
import type { ListenerThreads } from './listener-thread-client.ts'
import type { PlatformParts } from '../../platform/parts.ts'
import { handlersOf } from '../../platform/rpc/handlers.ts'

interface Slice {
  listener: ListenerService
  connection: Pick<Connection, 'id'>
  connections: { moveListener: (id: string, move: ListenerMove) => Promise<ListenerView> }
  webhooks: { setRelay: (order: RelayOrder) => Promise<ListenerView> }
}

export const listenerHandlers = handlersOf(
  listenerContract,
  ({ listener, connection, connections, webhooks }: Slice) => ({
    ...listener,
    configure: (move) => connections.moveListener(connection.id, move),
    setRelay: webhooks.setRelay,
    removeSecret: ({ id }) => listener.removeSecret(id),
  }),
)

/** Receives signed webhooks in its own thread. */
export function createListenerFeature(
  parts: PlatformParts & {
    mayListen: () => boolean
    journal: JournalFile
    journalFile: string
    ports: Pick<Ports, 'secrets' | 'listening' | 'resolveProxies'>
    startSecrets: { label: string; value: string }[]
    keepSecret: (account: string, value: string) => Promise<unknown>
    forgetSecret: (account: string) => Promise<unknown>
    listenerPlace: ListenerPlace
    listenerThreads: ListenerThreads
    pagePort: number | undefined
    events: Pick<EventsFeature, 'projector' | 'setListener'>
    dnc: Pick<DncService, 'setListener'>
    outbox: Pick<OutboxFeature, 'recheck'>
    notes: { listener: (status: ListenerStatus) => void }
    notice: (id: string, error: AppError, severity?: Notice['severity']) => void
    clearNotice: (id: string) => void
    noticeDamage: (file: string, asideFile: string | null, lost: Said) => void
    noticeDamageInUse: (file: string, problems: string[]) => void
    onChange: () => void
  },
) {
  const { events, journal, journalFile, ports } = parts
  let journalSeq = 0
  let started = false
  const listener = createListenerService({
    ...parts,
    secrets: ports.secrets,
    resolveProxies: (origin) => ports.resolveProxies(origin),
    continueAfterSeq: () => events.projector.highestSeq(),
    stored: () => ({ lastSeq: journal.lastSeq(), readSeq: events.projector.state().watermark }),
    tells: {
      port(port) {
        const { from, to } = outgoingPorts()
        if (port < from || port > to) return parts.clearNotice('outgoing-port')
        parts.notice('outgoing-port', new AppError('PORT_OUTGOING', { port, from, to }), 'warning')
      },
      listening: (url) => ports.listening?.(url),
      journalGrew(lastSeq) {
        journalSeq = Math.max(journalSeq, lastSeq)
        events.projector.notify(lastSeq)
      },
      journalLoss({ asideFile, lost }) {
        journal.reopen()
        parts.noticeDamage(journalFile, asideFile, lost)
      },
      journalDamaged: (problems) => parts.noticeDamageInUse(basename(journalFile), problems),
      change() {
        parts.notes.listener(listener.status())
        parts.onChange()
        parts.outbox.recheck()
      },
    },
  })
  events.setListener(listener)
  parts.dnc.setListener(listener)
  return {
    service: {
      ...listener,
      /** Highest known sequence number of the journal. */
      journalSeq: () => journalSeq,
    },
    async start() {
      if (!parts.mayListen()) return
      started = true
      await listener.start()
    },
    /** Records `reason` with the gap that begins. */
    async stop(reason?: 'closed' | 'switched' | 'restarted') {
      if (started) await listener.stop(reason)
    },
  }
}
