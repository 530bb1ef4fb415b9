import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Clock, systemClock } from '#electron/lib/clock.ts'
import { openJournalReader } from '#electron/listener/journal-reader.ts'
import { createListener } from '#electron/listener/listener.ts'
import { createPorts } from '#electron/listener/ports.ts'
import type {
  ListenerStart,
  ListenerStats,
  RelayFeedStatus,
  StoringState,
} from '#electron/listener/protocol.ts'
import { dlrBody } from './deliver-events.ts'
import { quietLog } from './quiet-log.ts'
import { sign as signWith } from './signed-delivery.ts'
import { tempFolder } from './temp-folder.ts'

export const testSecret = 'secret of the test'

export const sign = (body: string | Uint8Array, secret = testSecret): string => signWith(body, secret)

/** A delivery report as the spec shows it. */
export const dlr = (messageId: string, status = 'delivered'): string => dlrBody(messageId, status)

/** A signed request, byte for byte. */
export function requestBytes(
  body: string,
  headers: Record<string, string> = { 'X-Webhook-Signature': sign(body) },
): string {
  const lines = Object.entries({ 'Content-Length': String(Buffer.byteLength(body)), ...headers })
  return `POST /webhooks HTTP/1.1\r\nHost: a\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`
}

type JournalReader = ReturnType<typeof openJournalReader>

/** What a reader of the journal finds. */
export function readJournal<T>(file: string, find: (reader: JournalReader) => T): T {
  const reader = openJournalReader(file)
  try {
    return find(reader)
  } finally {
    reader.close()
  }
}

/**
 * A listener in this thread with its own journal and one secret, stopped after the test. `started` has the reason when it did not start.
 */
export async function startListener(
  config: Partial<ListenerStart> = {},
  clock: Clock = systemClock,
  ports = createPorts(clock),
): Promise<RunningListener> {
  const journalFile = config.journalFile ?? join(tempFolder(), 'journal.db')
  const grew: number[] = []
  const states: StoringState[] = []
  const pushed: ListenerStats[] = []
  const relayStates: RelayFeedStatus[] = []
  const listener = createListener({
    clock,
    log: quietLog,
    ports,
    events: {
      journalGrew: (seq) => grew.push(seq),
      stats: (stats) => pushed.push(stats),
      journalDamaged: () => {},
      storing: (state) => states.push(state),
      relay: (status) => relayStates.push(status),
      proxies: () => Promise.resolve([null]),
    },
  })
  onTestFinished(() => listener.stop())
  const started = await listener.start({
    journalFile,
    host: '127.0.0.1',
    port: 0,
    path: '/webhooks',
    allowUnsigned: false,
    secrets: [{ id: 'first', label: 'First', value: testSecret }],
    ...config,
  })
  const port = started.kind === 'listening' ? started.port : 0
  return {
    listener,
    started,
    port,
    journalFile,
    grew,
    states,
    pushed,
    relayStates,
    async post(body, headers = { 'x-webhook-signature': sign(body) }) {
      const answer = await fetch(`http://127.0.0.1:${port}${config.path ?? '/webhooks'}`, {
        method: 'POST',
        body,
        headers,
      })
      return { status: answer.status, text: await answer.text() }
    },
    rows: () => readJournal(journalFile, (reader) => reader.readAfter(0, 1_000_000)),
    spans: () => readJournal(journalFile, (reader) => reader.spans(0)),
  }
}

export interface RunningListener {
  listener: ReturnType<typeof createListener>
  started: Awaited<ReturnType<ReturnType<typeof createListener>['start']>>
  port: number
  journalFile: string
  /** The core's notifications, in order. */
  grew: number[]
  states: StoringState[]
  pushed: ListenerStats[]
  relayStates: RelayFeedStatus[]
  post(
    body: string | Buffer<ArrayBuffer>,
    headers?: Record<string, string>,
  ): Promise<{ status: number; text: string }>
  /** Everything stored. */
  rows(): ReturnType<JournalReader['readAfter']>
  spans(): ReturnType<JournalReader['spans']>
}
