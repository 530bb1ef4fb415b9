import { createBirpc } from 'birpc'
import { MessagePort, parentPort, type Transferable } from 'node:worker_threads'
import {
  type Acted,
  AppError,
  type ErrorCode,
  type ErrorData,
  isAppError,
  type Scope,
} from '../contract/errors.ts'
import { mapSqliteError, storageErrorCode } from '../database/errors.ts'
import { createLog, type Log } from '../lib/log.ts'

/** Functions as the other side of a channel calls them. */
export type Remote<Functions> = {
  [Name in keyof Functions]: Functions[Name] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : never
}

/** Functions as a thread offers them. */
export type Served<Functions> = {
  [Name in keyof Functions]: Functions[Name] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Result | Promise<Result>
    : never
}

/** A port for the other side, sent beside the calls. */
export interface HandedPort {
  port: MessagePort
}

/** A worker, its parent port or one end of a message channel. */
export interface Channel {
  postMessage(message: unknown, transfer?: readonly Transferable[]): void
  on(event: 'message' | 'close', receive: (message: unknown) => void): unknown
}

/** How a thread's log reaches its owner. */
export interface LogEvents {
  log(level: 'info' | 'warn' | 'error', message: string, data?: Record<string, unknown>): void
}

/** The log of a thread. Its owner gets all but the entries for debugging. */
export const ownersLog = (scope: string, owner: () => LogEvents): Log =>
  createLog(({ level, message, data }) => {
    if (level !== 'debug') owner().log(level, message, data)
  }, scope)

/** The channel to the thread that started this one. */
export function ownersPort(): MessagePort {
  if (!parentPort) throw new Error('This file is started as a worker thread')
  return parentPort
}

/** An error on its way: structured clone drops the class and fields of an `AppError`. */
interface WireError {
  known: { code: ErrorCode; data: ErrorData; acted: Acted; scope: Scope } | null
  message: string
  stack: string | undefined
}

function toWire(error: unknown): WireError {
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  if (!isAppError(error)) return { known: null, message, stack }
  const { code, data, acted, scope } = error
  return { known: { code, data, acted, scope }, message, stack }
}

function fromWire({ known, message, stack }: WireError): Error {
  if (known) return new AppError(known.code, known.data, known)
  return Object.assign(new Error(message), { stack })
}

function isHandedPort(message: unknown): message is HandedPort {
  return (
    typeof message === 'object' &&
    message !== null &&
    'port' in message &&
    message.port instanceof MessagePort
  )
}

/**
 * The one way to call functions across a channel, in both directions. Errors keep their code, data and outcome. Errors of
 * SQLite and files are logged and mapped on the side where they happen, as errors of `file`.
 */
export function connectCalls<
  Theirs extends object,
  Mine extends object = object,
  Handed extends HandedPort = HandedPort,
>(
  channel: Channel,
  mine: Served<Mine>,
  options: {
    /** Calls without an answer. */
    events?: readonly (keyof Theirs)[]
    onPort?: (handed: Handed) => void
    /** For a message port: calls reject with it once the port closes. */
    gone?: () => Error
    file?: string
    log?: Log
  } = {},
): {
  calls: Remote<Theirs>
  /** From now on calls reject with this error, also those under way, and events are dropped. */
  close(error: Error): void
} {
  const { events = [], onPort, gone, file = 'a file', log } = options
  let closed: Error | null = null

  function mapped(error: unknown): unknown {
    if (isAppError(error) || storageErrorCode(error) === undefined) return error
    log?.error('Storage failed', { error })
    return mapSqliteError(error, { file })
  }

  const rpc = createBirpc<Record<PropertyKey, (...args: unknown[]) => Promise<unknown>>, object>(mine, {
    post: (message) => channel.postMessage(message),
    on: (receive) =>
      void channel.on('message', (message) => {
        if (isHandedPort(message)) onPort?.(message as Handed)
        else receive(message)
      }),
    serialize: (message: { e?: unknown }) =>
      message.e === undefined ? message : { ...message, e: toWire(mapped(message.e)) },
    deserialize: (message: { e?: WireError }) =>
      message.e === undefined ? message : { ...message, e: fromWire(message.e) },
    bind: 'functions',
    eventNames: [...events] as string[],
    // Work takes as long as it takes; a caller that can't wait sets a deadline.
    timeout: -1,
  })
  function call(name: string, args: unknown[]): Promise<unknown> {
    if (!closed) return rpc[name]!(...args)
    return (events as readonly string[]).includes(name) ? Promise.resolve() : Promise.reject(closed)
  }
  function close(error: Error): void {
    closed ??= error
    rpc.$close(error)
  }
  if (gone) channel.on('close', () => close(gone()))
  return { calls: withCalls<Remote<Theirs>>({}, call), close }
}

/** Adds functions of any name to `own`. They `call`. Without `then`, because a promise may resolve to the result. */
export function withCalls<Functions extends object, Own extends object = object>(
  own: Own,
  call: (name: string, args: unknown[]) => Promise<unknown>,
): Functions & Own {
  return new Proxy(own as Functions & Own, {
    get: (_, name: string) =>
      own[name as keyof Own] ?? (name === 'then' ? undefined : (...args: unknown[]) => call(name, args)),
  })
}
