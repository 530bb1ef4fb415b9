import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { jetstream } from '@nats-io/jetstream'
import {
  AuthorizationError,
  type Authenticator,
  connect,
  credsAuthenticator,
  type NodeConnectionOptions,
  tokenAuthenticator,
  usernamePasswordAuthenticator,
} from '@nats-io/transport-node'
import { isAppError } from '../../contract/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { UsageError } from '../../lib/command-line.ts'
import { type NatsConfig, readCredentials } from '../config.ts'
import { writeDurably } from '../durable-file.ts'
import type { Storage } from '../store.ts'
import { openBucket } from './bucket.ts'
import { openNatsStore } from './nats-store.ts'

const startRetryMs = 500
/** Most bytes that headers and signature take beside a body. */
const headBytes = 32 * 1024

function authenticatorOf(file: string): Authenticator {
  const text = readCredentials(file).trim()
  // The library wants a line end after the last line.
  if (text.includes('BEGIN NATS USER JWT')) return credsAuthenticator(new TextEncoder().encode(`${text}\n`))
  const [, user, password] = /^([^:\s]+):(.+)$/.exec(text) ?? []
  return user === undefined ? tokenAuthenticator(text) : usernamePasswordAuthenticator(user, password)
}

/** Names this relay. Kept in the data folder over restarts. */
function instanceOf(dataDir: string): string {
  const file = join(dataDir, 'instance')
  if (!existsSync(file)) writeDurably(file, randomUUID())
  return readFileSync(file, 'utf8').trim()
}

/**
 * A JetStream account as a relay's storage. While NATS can't be reached or elects its leaders, it tries for `patienceMs`
 * and then throws `UsageError`. Spills into the data folder if the settings say so.
 */
export async function openNatsStorage(
  config: NatsConfig,
  dataDir: string | null,
  {
    bodyBytes = 0,
    patienceMs,
    clock,
    log,
  }: {
    /** Largest body that must fit. */
    bodyBytes?: number
    patienceMs: number
    clock: Clock
    log: Log
  },
): Promise<Storage> {
  const { credentialsFile, tls } = config
  const options: NodeConnectionOptions = {
    name: 'switchboard-relay',
    servers: config.servers.map((one) => one.replace(/^tls:/, 'nats:')),
    ...(credentialsFile === null ? {} : { authenticator: authenticatorOf(credentialsFile) }),
    ...(tls ? { tls } : {}),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    ignoreAuthErrorAbort: true,
    // A node that stops answering is left after three of them.
    pingInterval: 2_000,
    timeout: 3_000,
    noAsyncTraces: true,
  }
  const connection = await whenReady(() => connect(options))
  let isConnected = true
  const follow = async () => {
    for await (const { type } of connection.status()) {
      if (type !== 'disconnect' && type !== 'reconnect') continue
      isConnected = type === 'reconnect'
      if (isConnected) log.info('Connected to NATS again')
      else log.warn('The connection to NATS was lost')
    }
  }
  void follow()
  const js = jetstream(connection, { timeout: 3_000 })
  const replicas = config.replicas ?? (connection.info?.cluster ? 3 : 1)

  async function whenReady<T>(open: () => Promise<T>): Promise<T> {
    const endMs = clock.monotonic() + patienceMs
    for (let isFirst = true; ; isFirst = false) {
      try {
        return await open()
      } catch (cause) {
        const reason = (cause as Error).message
        if (isAppError(cause)) throw cause
        if (cause instanceof AuthorizationError || clock.monotonic() > endMs)
          throw new UsageError(
            `NATS at ${config.servers.join(', ')} can't be used: ${reason}. Nothing was changed. Check the address, the credentials file and that JetStream runs.`,
            { cause },
          )
        if (isFirst) log.warn('Waiting for NATS JetStream', { reason })
        await clock.sleep(startRetryMs)
      }
    }
  }

  try {
    const payloadBytes = connection.info?.max_payload ?? Infinity
    if (bodyBytes + headBytes > payloadBytes)
      throw new UsageError(
        `NATS takes messages up to ${payloadBytes >> 10} KiB, too little for deliveries of ${bodyBytes >> 10} KiB. Raise max_payload of the server, or lower "bodyKibibytes".`,
      )
    const documents = await whenReady(() => openBucket(js, replicas, () => isConnected))
    return {
      documents,
      openStore: (inbox) =>
        whenReady(() =>
          openNatsStore({
            connection,
            isConnected: () => isConnected,
            inbox,
            replicas,
            documents,
            spillFolder: config.spill && dataDir !== null ? join(dataDir, 'spill', inbox) : null,
            instance: dataDir === null ? undefined : instanceOf(dataDir),
            clock,
            log,
          }),
        ),
      close: () => connection.close(),
    }
  } catch (error) {
    await connection.close()
    throw error
  }
}
