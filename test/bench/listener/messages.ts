/** What the bench's own process and its children say to each other over Node's IPC channel. */
export interface ServerReady {
  kind: 'ready'
  port: number
}

/** Answer to `'cpu'`: processor time of the process since its start. */
export interface ServerCpu {
  kind: 'cpu'
  cpuUs: number
}

/** Answer to `'stop'`. */
export interface ServerStopped {
  kind: 'stopped'
  /** Events that are durably stored, null for a server that stores nothing. */
  stored: number | null
}

export interface LoadOrder {
  /** Which server it is: each goes on in the list of requests where it stopped, so that no event comes twice. */
  name: string
  port: number
  path: string
  connections: number
  /** Measuring begins after both: this long, and this many answers (a compiler must have seen the code often). */
  warmUpMs: number
  warmUpAnswers: number
  /** …but at the latest after this long. */
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
  /** All 200 answers, warm-up and drain included. */
  acknowledged: number
  /** Answers with another status, or broken connections. */
  wrong: number
}

export const secret = 'bench-secret-of-the-listener'

/** Answers the parent's questions and waits for its order to stop. */
export function serveParent(port: number, stop: () => Promise<number | null>): void {
  process.on('message', (message) => {
    if (message === 'cpu') {
      const { user, system } = process.cpuUsage()
      process.send!({ kind: 'cpu', cpuUs: user + system } satisfies ServerCpu)
    } else if (message === 'stop') {
      void stop().then((stored) => {
        process.send!({ kind: 'stopped', stored } satisfies ServerStopped, () => process.exit(0))
      })
    }
  })
  process.send!({ kind: 'ready', port } satisfies ServerReady)
}
