import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/websocket'
import type { ContractRouterClient } from '@orpc/contract'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { WebSocket } from 'ws'
import { wireTypes } from '#contract/wire-types.ts'
import type { Contract } from '#contract/contract.ts'
import { createSandbox, type Sandbox, type SandboxOptions } from '#electron/sandbox/create-sandbox.ts'
import { bundledProgram } from './bundled-program.ts'
import { type HostProcess, spawnHost } from './host-process.ts'
import { signIn } from './web-session.ts'

/** A console as its operator has it: the real Node host in its own process, on free ports, with its own data folder. */
export interface RunningConsole {
  /** An unspent link that signs one browser in. */
  url: string
  /** `http://127.0.0.1:PORT`. */
  origin: string
  /** Where the service must deliver, or null without an open connection. */
  listenerUrl: string | null
  /** Every procedure of the contract, over a WebSocket. */
  rpc: ContractRouterClient<Contract>
  /** `name=value` of the session that `rpc` uses. */
  cookie: string
  /** The service that the console is signed in to; set with `fault` or `sandbox`. It runs in the test's process. */
  sandbox: Sandbox | null
  dataDir: string
  host: HostProcess
  /** Ends the process with `signal` and waits for it. `stop` checks for its child processes. */
  kill(signal: NodeJS.Signals): Promise<void>
  /** Stops everything, once; rejects when the console did not end cleanly or left a process behind. */
  stop(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Options of `startConsole`. */
export interface ConsoleOptions {
  /** A fault of the sandbox, active once the console has signed in. */
  fault?: string
  /** Starts a sandbox in the test's process and signs the console in to it, with its webhooks pointed at the listener. */
  sandbox?: SandboxOptions
  /** Kept after the stop; by default a new one that is removed after the stop. */
  dataDir?: string
  env?: NodeJS.ProcessEnv
  /** More flags, e.g. `--sandbox` for the console's own one. */
  args?: string[]
  /** Folder of the page; by default the built renderer if present, else a stub. */
  rendererDir?: string
}

const root = resolve(import.meta.dirname, '../..')
const builtRenderer = join(root, 'out/renderer')
export const nodeHost = bundledProgram('node-host', join(root, 'electron/hosts/node/main.ts'))
/** A page that only opens the socket, for tests of the host. */
export const stubRenderer = join(import.meta.dirname, 'stub-renderer')

/** Starts the console and signs in to it. Rejects with its whole output when it does not start. */
export async function startConsole(options: ConsoleOptions = {}): Promise<RunningConsole> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'switchboard-'))
  const wantsSandbox = options.sandbox !== undefined || options.fault !== undefined
  const sandbox = wantsSandbox ? await createSandbox({ rateLimitPerMinute: null, ...options.sandbox }) : null
  const webhookSecret = options.env?.['SWITCHBOARD_WEBHOOK_SECRET'] ?? randomBytes(16).toString('hex')
  const apiKey = sandbox?.createApiKey(sandbox.tenants[0]!.username).key
  const host = spawnHost({
    file: process.env['SWITCHBOARD_TEST_HOST'] ?? nodeHost,
    args: ['--port', '0', '--data-dir', dataDir, '--no-open', ...(options.args ?? [])],
    env: {
      SWITCHBOARD_LISTENER_PORT: '0',
      SWITCHBOARD_RENDERER_DIR:
        options.rendererDir ?? (existsSync(join(builtRenderer, 'index.html')) ? builtRenderer : stubRenderer),
      ...(sandbox && apiKey !== undefined
        ? {
            SWITCHBOARD_BASE_URL: sandbox.baseUrl,
            SWITCHBOARD_API_KEY: apiKey,
            SWITCHBOARD_WEBHOOK_SECRET: webhookSecret,
          }
        : {}),
      ...options.env,
    },
  })
  try {
    const firstLink = (await host.line(/^Switchboard ready: (\S+)$/))[1]!
    const listenerUrl = (await host.line(/^Webhook listener (?:ready: (\S+)|not running: .*)$/))[1] ?? null
    const { origin } = new URL(firstLink)
    const cookie = await signIn(firstLink)
    const socket = new WebSocket(`${origin.replace('http', 'ws')}/rpc`, { origin, headers: { cookie } })
    // Tests end by closing the socket; the link rejects calls in flight.
    socket.on('error', () => {})
    const rpc: RunningConsole['rpc'] = createORPCClient(
      new RPCLink({
        websocket: socket as unknown as globalThis.WebSocket,
        customJsonSerializers: wireTypes,
      }),
    )
    if (sandbox && listenerUrl !== null) {
      await subscribe(sandbox, apiKey!, listenerUrl, webhookSecret)
      if (options.fault !== undefined) sandbox.setFault(options.fault)
    }
    const newLink = async () => {
      const printed = host.nextLine(/^New link, for one browser: (\S+)$/)
      await fetch(`${origin}/session/link`, {
        method: 'POST',
        headers: { origin, 'content-type': 'application/json' },
        body: '{}',
      })
      return (await printed)[1]!
    }
    let isKilled = false
    let stopping: Promise<void> | null = null
    const stop = () => (stopping ??= end())
    const end = async () => {
      socket.terminate()
      try {
        if (!isKilled) await host.stop()
      } finally {
        await sandbox?.stop()
        if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true })
      }
    }
    return {
      url: await newLink(),
      origin,
      listenerUrl,
      rpc,
      cookie,
      sandbox,
      dataDir,
      host,
      async kill(signal) {
        isKilled = true
        await host.kill(signal)
      },
      stop,
      [Symbol.asyncDispose]: stop,
    }
  } catch (error) {
    await host.kill('SIGKILL')
    await sandbox?.stop()
    throw error
  }
}

async function subscribe(sandbox: Sandbox, apiKey: string, url: string, secret: string): Promise<void> {
  const response = await fetch(`${sandbox.baseUrl}/webhooks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify({ url, events: ['dlr', 'mo'], secret }),
  })
  if (!response.ok) throw new Error(`The sandbox did not take the subscription: ${await response.text()}`)
}
