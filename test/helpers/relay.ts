import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import {
  createFeedClient,
  type FeedClientOptions,
  type FeedSink,
  type FeedState,
} from '#electron/listener/feed-client.ts'
import { type Clock, systemClock } from '#electron/lib/clock.ts'
import type { FeedDelivery, FeedGap, ListeningPeriod } from '#electron/listener/feed-protocol.ts'
import type { InboxConfig, RelayConfig } from '#electron/relay/config.ts'
import { startRelay } from '#electron/relay/relay.ts'
import { openFolder } from '#electron/relay/documents.ts'
import { addToken } from '#electron/relay/tokens.ts'
import { bundledProgram } from './bundled-program.ts'
import { spawnHost } from './host-process.ts'
import { dlr, sign, testSecret } from './listener.ts'
import { quietLog } from './quiet-log.ts'
import { tempFolder } from './temp-folder.ts'

const day = 86_400_000

export const testInbox: InboxConfig = {
  name: 'main',
  path: '/webhooks',
  secrets: [{ id: 'secret-1', label: 'First', value: testSecret }],
  keep: { ageMs: 14 * day, bytes: 1e9, unreadAgeMs: 90 * day, unreadBytes: 4e9 },
  perSecond: 100_000,
}

/** A relay in this process with a token for its inbox, stopped after the test. */
export async function runRelay(
  config: Partial<RelayConfig> = {},
  token?: string,
  clock: Clock = systemClock,
) {
  const dataDir = config.dataDir ?? join(tempFolder(), 'relay')
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const added = token ?? (await addToken(openFolder(dataDir), 'ana', 'main', 1))
  const relay = await startRelay(
    {
      host: '127.0.0.1',
      port: 0,
      dataDir,
      store: null,
      tls: null,
      inboxes: [testInbox],
      limits: { connections: 512, bodyBytes: 64 * 1024, feeds: 64, teamBytes: 1024 ** 3 },
      ...config,
    },
    { clock, log: quietLog },
  )
  onTestFinished(() => relay.stop())
  const url = `${config.tls ? 'https' : 'http'}://127.0.0.1:${relay.port}`
  return { ...relay, dataDir, url, token: added }
}

/** The relay’s program. */
export const relayMain = bundledProgram('relay', join(import.meta.dirname, '../../electron/relay/main.ts'))

/** A relay as a process with these arguments, at a port or a free one. */
export async function startRelayProcess(args: readonly string[], port = 0) {
  const host = spawnHost({
    file: relayMain,
    args: ['--port', String(port), ...args],
    env: { SWITCHBOARD_RELAY_SECRET: testSecret },
  })
  const [, bound] = await host.line(/"Relay ready","url":"http:\/\/127\.0\.0\.1:(\d+)"/)
  return { host, port: Number(bound) }
}

/** Sends a signed delivery. Returns the status. */
export async function post(
  url: string,
  body: string,
  headers: Record<string, string> = { 'x-webhook-signature': sign(body) },
): Promise<number> {
  const answer = await fetch(url, { method: 'POST', body, headers })
  await answer.arrayBuffer()
  return answer.status
}

/** Sends `count` reports with ids from `prefix`, all acknowledged. */
export async function postMany(url: string, count: number, prefix = 'm'): Promise<void> {
  for (let at = 0; at < count; at++) {
    const status = await post(`${url}/webhooks`, dlr(`${prefix}${at}`))
    if (status !== 200) throw new Error(`A delivery was answered with ${status}`)
  }
}

/** A console that keeps what the feed brings. Its memory outlives its clients. */
export function createReader() {
  const deliveries: FeedDelivery[] = []
  const gaps: FeedGap[] = []
  const periods = new Map<number, ListeningPeriod>()
  let position: ReturnType<FeedSink['position']> = null
  const sink: FeedSink = {
    position: () => position,
    store(relayId, more) {
      deliveries.push(...more)
      position = { relayId, seq: more.at(-1)!.seq }
    },
    gap(relayId, gap) {
      gaps.push(gap)
      position = { relayId, seq: gap.toSeq }
    },
    listening(_relayId, more) {
      for (const one of more) periods.set(one.id, one)
    },
  }
  return {
    sink,
    deliveries,
    gaps,
    periods,
    position: () => position,
    ids: () => deliveries.map(({ body }) => (JSON.parse(String(body)) as { message_id: string }).message_id),
  }
}

/** Connects a reader, until the test ends. */
export function readFeed(
  { url, token }: { url: string; token: string },
  reader: ReturnType<typeof createReader>,
  options: Partial<FeedClientOptions> = {},
) {
  const states: FeedState[] = []
  let wake = () => {}
  const client = createFeedClient({
    url,
    inbox: 'main',
    token,
    sink: reader.sink,
    onState(state) {
      states.push(state)
      wake()
    },
    clock: systemClock,
    // Reconnects at once.
    random: () => 0,
    ...options,
  })
  client.start()
  onTestFinished(() => client.stop())
  return {
    client,
    states,
    /** The first state that `holds`, past or future. */
    async state(holds: (state: FeedState) => boolean): Promise<FeedState> {
      for (;;) {
        const found = states.find(holds)
        if (found) return found
        await new Promise<void>((resolve) => (wake = resolve))
      }
    },
    /** Waits for the newest state to hold. */
    async now(holds: (state: FeedState) => boolean): Promise<FeedState> {
      for (;;) {
        const newest = states.at(-1)
        if (newest && holds(newest)) return newest
        await new Promise<void>((resolve) => (wake = resolve))
      }
    },
  }
}

export const isCaughtUp = (state: FeedState): boolean => state.kind === 'connected' && state.behind === 0
