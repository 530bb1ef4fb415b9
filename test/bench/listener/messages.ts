import { createHmac } from 'node:crypto'

/** Messages between the benchmark’s process and its children over Node’s IPC channel. */
export interface ServerReady {
  kind: 'ready'
  port: number
}

/** Answer to `'cpu'`: processor time of the process since its start. */
export interface ServerCpu {
  kind: 'cpu'
  cpuUs: number
  rssBytes: number
}

/** Answer to `'stop'`. */
export interface ServerStopped {
  kind: 'stopped'
  /** Events stored durably; null for a server that stores nothing. */
  stored: number | null
}

/** Answer to `'settle'`: every acknowledged event is processed. */
export interface ServerSettled {
  kind: 'settled'
}

export interface LoadOrder {
  /** The server’s name: each continues in the list of requests where it stopped, so that no event repeats. */
  name: string
  port: number
  path: string
  connections: number
  /** Measuring begins after both: this time, and this many answers (so that the code is compiled). */
  warmUpMs: number
  warmUpAnswers: number
  /** …but at the latest after this time. */
  warmUpAtMostMs: number
  measureMs: number
}

export interface LoadReport {
  kind: 'report'
  /** Answers within the measured time. */
  answers: number
  seconds: number
  p50Ms: number
  p99Ms: number
  maxMs: number
  /** All 200 answers, including warm-up and drain. */
  acknowledged: number
  /** Answers with another status, or broken connections. */
  wrong: number
}

export const secret = 'bench-secret-of-the-listener'

/** The secret of deliveries signed as Svix does. */
export const svixSecret = `whsec_${Buffer.from(secret).toString('base64')}`

/** Headers of a signed delivery: as in the spec, or as Svix (ID, time, then all three signed, in base64). */
export function signatureHeaders(scheme: 'spec' | 'svix', body: string, id: string, nowMs: number): string {
  if (scheme === 'spec')
    return `X-Webhook-Signature: ${createHmac('sha256', secret).update(body).digest('hex')}\r\n`
  const seconds = Math.floor(nowMs / 1_000)
  const signature = createHmac('sha256', secret).update(`${id}.${seconds}.${body}`).digest('base64')
  return `svix-id: ${id}\r\nsvix-timestamp: ${seconds}\r\nsvix-signature: v1,${signature}\r\n`
}

/** Answers the parent’s questions and waits for its stop. `settle` resolves when everything received is processed. */
export function serveParent(
  port: number,
  stop: () => Promise<number | null>,
  settle: () => Promise<void> = () => Promise.resolve(),
): void {
  process.on('message', (message) => {
    if (message === 'cpu') {
      const { user, system } = process.cpuUsage()
      process.send!({
        kind: 'cpu',
        cpuUs: user + system,
        rssBytes: process.memoryUsage.rss(),
      } satisfies ServerCpu)
    } else if (message === 'settle') {
      void settle().then(() => process.send!({ kind: 'settled' } satisfies ServerSettled))
    } else if (message === 'stop') {
      void stop().then((stored) => {
        process.send!({ kind: 'stopped', stored } satisfies ServerStopped, () => process.exit(0))
      })
    }
  })
  process.send!({ kind: 'ready', port } satisfies ServerReady)
}
