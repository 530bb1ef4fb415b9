import type { Said } from '../../../contract/phrases.ts'
import { implement } from '@orpc/server'
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
import type { Clock } from '../../../lib/clock.ts'
import { isoTime } from '../../../lib/iso-time.ts'
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

const os = implement(listenerContract).$context<{
  clock: Clock
  listener: ListenerService
  connection: Pick<Connection, 'id'>
  connections: { moveListener: (id: string, move: ListenerMove) => Promise<ListenerView> }
  webhooks: { setRelay: (order: RelayOrder) => Promise<ListenerView> }
}>()

export const listenerHandlers = {
  get: os.get.handler(({ context }) => context.listener.get()),
  configure: os.configure.handler(({ context, input }) =>
    context.connections.moveListener(context.connection.id, input),
  ),
  setPublicBase: os.setPublicBase.handler(({ context, input }) =>
    context.listener.setPublicBase(input.publicBase),
  ),
  freePort: os.freePort.handler(async ({ context }) => ({ port: await context.listener.freePort() })),
  setRelay: os.setRelay.handler(({ context, input }) => context.webhooks.setRelay(input)),
  retryRelay: os.retryRelay.handler(({ context }) => context.listener.retryRelay()),
  addSecret: os.addSecret.handler(({ context, input }) => context.listener.addSecret(input)),
  removeSecret: os.removeSecret.handler(({ context, input }) => context.listener.removeSecret(input.id)),
  refusal: os.refusal.handler(({ context, input }) => context.listener.refusal(input.id)),
  refusals: os.refusals.handler(async ({ context }) => ({
    ...(await context.listener.refusals()),
    asOf: isoTime(context.clock.now()),
  })),
}

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
