import { implement } from '@orpc/server'
import { RPCHandler } from '@orpc/server/ws'
import { randomBytes } from 'node:crypto'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { WebSocketServer } from 'ws'
import { contract } from '#contract/contract.ts'
import type { Status } from '#contract/connection/status.ts'
import { AppError } from '#contract/errors.ts'
import { connectionHeader } from '#contract/wire-types.ts'
import { toWireError } from '#electron/core/platform/rpc/errors.ts'
import { contentSecurityPolicy, loadRendererFiles, readRendererFile } from '#electron/hosts/renderer-files.ts'
import { quietLog } from './quiet-log.ts'
import { type OrdinaryDay, ordinaryDay } from './scripted-answers.ts'
import type { Script } from './scripted/script.ts'

/** Answers that replace the default ones. */
export type ScriptChanges = { [F in keyof Script]?: Partial<Script[F]> }

/** A procedure as `feature.procedure`. */
export type CallName = { [F in keyof Script]: `${F}.${keyof Script[F] & string}` }[keyof Script]
type AnswerTo<N extends CallName> = N extends `${infer F extends keyof Script}.${infer P}`
  ? P extends keyof Script[F]
    ? Script[F][P] extends (...call: never[]) => infer Answer
      ? Awaited<Answer>
      : never
    : never
  : never

/** A scripted core behind the built renderer, for states that are hard to reach with the real one. */
export interface ScriptedCore {
  url: string
  /** Changes the status and sends it to all watchers. */
  setStatus(change: Partial<Status>): void
  /** The default script behind the answers: its tasks, outbox, DNC copy, contacts and files can be changed. */
  day: OrdinaryDay
  /** Replaces answers from now on. */
  change(changes: ScriptChanges): void
  /** Answers a call with this error from now on. */
  fail(name: CallName, ...error: ConstructorParameters<typeof AppError>): void
  /** Replaces these members of an ordinary answer from now on. */
  extend<N extends CallName>(name: N, members: Partial<AnswerTo<N>>): void
  /** Gives the ordinary answers to these calls again. */
  restore(...names: CallName[]): void
  /** Every call as `feature.procedure`, with its input and its connection. */
  calls: readonly { name: string; input: unknown; connectionId: string | undefined }[]
  /** Cuts every open socket, and refuses new ones until `plugIn`. */
  unplug(): void
  plugIn(): void
  stop(): Promise<void>
}

/** What to start with. */
export interface ScriptedCoreOptions {
  /** Folder of the built renderer. */
  rendererDir?: string
  /** False refuses every page, as a host does without its cookie. */
  admitted?: boolean
  port?: number
}

const builtRenderer = resolve(import.meta.dirname, '../../out/renderer')

/** Serves the built renderer with the hosts' own Content-Security-Policy, and the contract over `/rpc`. Stop it when done. */
export async function startScriptedCore(options: ScriptedCoreOptions = {}): Promise<ScriptedCore> {
  const { rendererDir = builtRenderer, admitted = true } = options
  const files = loadRendererFiles(rendererDir)
  const calls: { name: string; input: unknown; connectionId: string | undefined }[] = []
  const day = ordinaryDay()
  let script: Script = day.script
  let pluggedIn = true

  const handler = new RPCHandler<CallContext>(scriptedRouter(), {
    interceptors: [
      (call) =>
        call.next({ ...call, context: { connectionId: call.request.headers[connectionHeader]?.toString() } }),
    ],
  })
  const http = createServer((request, response) => void answer(request, response))
  const sockets = new WebSocketServer({ noServer: true })
  http.on('upgrade', (request, socket, head) => {
    if (!pluggedIn || !admitted) return socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n')
    sockets.handleUpgrade(request, socket, head, (ws) => handler.upgrade(ws, { context: {} }))
  })
  await new Promise<void>((done, failed) =>
    http.once('error', failed).listen(options.port ?? 0, '127.0.0.1', done),
  )
  const { port } = http.address() as AddressInfo

  function scriptedRouter() {
    const os = implement(contract) as unknown as Record<string, Record<string, Implementer>>
    return Object.fromEntries(
      Object.entries(contract).map(([feature, procedures]) => [
        feature,
        Object.fromEntries(
          Object.keys(procedures).map((procedure) => [
            procedure,
            os[feature]![procedure]!.handler(async ({ input, signal, context: { connectionId } }) => {
              calls.push({ name: `${feature}.${procedure}`, input, connectionId })
              try {
                return await (script as LooseScript)[feature]![procedure]!(input, signal, connectionId)
              } catch (cause) {
                throw toWireError(cause, quietLog)
              }
            }),
          ]),
        ),
      ]),
    ) as never
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', 'http://host').pathname
    if (path === '/session') return void response.writeHead(admitted ? 204 : 401).end()
    const file = files.get(path)
    if (!file) return void response.writeHead(404).end()
    const nonce = randomBytes(16).toString('base64')
    const bytes = await readRendererFile(file, nonce)
    response.writeHead(200, {
      'content-type': file.contentType,
      // Names of assets change with their content. A cached one keeps its compiled code.
      ...(path.startsWith('/assets/') && { 'cache-control': 'max-age=86400, immutable' }),
      'content-security-policy': contentSecurityPolicy(nonce, `'self' ws://127.0.0.1:${port}`),
    })
    response.end(bytes)
  }

  function change(changes: ScriptChanges): void {
    const next = { ...script } as LooseScript
    for (const [feature, answers] of Object.entries(changes as Record<string, object>))
      next[feature] = Object.assign({}, next[feature], answers)
    script = next as unknown as Script
  }

  const split = (name: string) => name.split('.') as [feature: string, procedure: string]
  const ordinary = (name: string) => {
    const [feature, procedure] = split(name)
    return (day.script as LooseScript)[feature]![procedure]!
  }
  function answerTo(name: string, answer: LooseScript[string][string]): void {
    const [feature, procedure] = split(name)
    change({ [feature]: { [procedure]: answer } })
  }

  return {
    url: `http://127.0.0.1:${port}/`,
    calls,
    change,
    fail: (name, ...error) =>
      answerTo(name, () => {
        throw new AppError(...error)
      }),
    extend: (name, members) =>
      answerTo(name, async (...call) => ({ ...((await ordinary(name)(...call)) as object), ...members })),
    restore(...names) {
      for (const name of names) answerTo(name, ordinary(name))
    },
    day,
    setStatus: day.setStatus,
    unplug() {
      pluggedIn = false
      for (const client of sockets.clients) client.terminate()
    },
    plugIn: () => (pluggedIn = true),
    async stop() {
      for (const client of sockets.clients) client.terminate()
      sockets.close()
      http.closeAllConnections()
      await new Promise((done) => http.close(done))
    },
  }
}

type LooseScript = Record<
  string,
  Record<string, (input: unknown, signal: AbortSignal | undefined, connectionId?: string) => unknown>
>

interface CallContext {
  connectionId?: string | undefined
}

interface Implementer {
  handler(answer: (call: { input: unknown; signal?: AbortSignal; context: CallContext }) => unknown): unknown
}
