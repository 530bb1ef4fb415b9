import { EventEmitter } from 'node:events'
import type { Protocol } from '../../../node_modules/playwright-core/types/protocol.d.ts'
import { WebSocket } from 'ws'

type Commands = Protocol.CommandParameters
type Answers = Protocol.CommandReturnValues
type Events = Protocol.Events

/** One target's channel of the Chrome DevTools Protocol. */
export interface CdpSession {
  /** Rejects with Chromium’s message, or when the target or browser is gone. */
  send<M extends keyof Commands>(method: M, params?: Commands[M]): Promise<Answers[M]>
  on<E extends keyof Events>(event: E, listener: (params: Events[E]) => void): void
  /** Called once when the target is gone. */
  onDetached(listener: () => void): void
}

export interface CdpConnection {
  /** The browser's own channel. */
  root: CdpSession
  /** The channel of a target attached with `flatten`. */
  session(sessionId: string): CdpSession
  onClose(listener: () => void): void
}

interface Message {
  id?: number
  sessionId?: string
  method?: string
  params?: Record<string, unknown>
  result?: unknown
  error?: { message: string }
}

/** Connects to a browser's DevTools address. */
export async function connectCdp(url: string): Promise<CdpConnection> {
  const socket = new WebSocket(url, { perMessageDeflate: false, maxPayload: 256 * 1_048_576 })
  await new Promise<void>((resolve, reject) => {
    socket.once('open', () => resolve())
    socket.once('error', reject)
  })
  const pending = new Map<
    number,
    { sessionId: string; method: string; resolve(value: unknown): void; reject(error: Error): void }
  >()
  const sessions = new Map<string, { emitter: EventEmitter; session: CdpSession }>()
  let lastId = 0

  function open(sessionId: string) {
    const known = sessions.get(sessionId)
    if (known) return known
    const emitter = new EventEmitter()
    emitter.setMaxListeners(0)
    const session: CdpSession = {
      send: (method, params) =>
        new Promise((resolve, reject) => {
          const id = ++lastId
          if (socket.readyState !== WebSocket.OPEN) return reject(new Error(`${method}: the browser is gone`))
          pending.set(id, { sessionId, method, resolve: resolve as (value: unknown) => void, reject })
          socket.send(
            JSON.stringify({ id, method, params: params ?? {}, ...(sessionId === '' ? {} : { sessionId }) }),
          )
        }),
      on: (event, listener) => void emitter.on(event, listener),
      onDetached: (listener) => void emitter.once('#detached', listener),
    }
    const opened = { emitter, session }
    sessions.set(sessionId, opened)
    return opened
  }

  function drop(sessionId: string): void {
    for (const [id, call] of pending) {
      if (call.sessionId !== sessionId) continue
      pending.delete(id)
      call.reject(new Error(`${call.method}: the page is gone`))
    }
    sessions.get(sessionId)?.emitter.emit('#detached')
    sessions.delete(sessionId)
  }

  const root = open('')
  root.session.on('Target.detachedFromTarget', ({ sessionId }) => drop(sessionId))
  const closed = new EventEmitter()
  socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString()) as Message
    if (message.id === undefined) {
      open(message.sessionId ?? '').emitter.emit(message.method!, message.params)
      if (message.method === 'Target.detachedFromTarget' && message.sessionId !== undefined)
        drop(message.params!['sessionId'] as string)
      return
    }
    const call = pending.get(message.id)
    pending.delete(message.id)
    if (message.error) call?.reject(new Error(`${call.method}: ${message.error.message}`))
    else call?.resolve(message.result)
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    for (const sessionId of [...sessions.keys()]) drop(sessionId)
    closed.emit('close')
  })
  return {
    root: root.session,
    session: (sessionId) => open(sessionId).session,
    onClose: (listener) => void closed.once('close', listener),
  }
}
