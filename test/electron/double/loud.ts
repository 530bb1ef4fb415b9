import { EventEmitter } from 'node:events'
import { noteUse, isCallOfApp } from './uses.ts'

/** What the double was asked for and can’t do. Never swallowed: a test that hits one fails. */
export class MissingInDoubleError extends Error {
  override readonly name = 'MissingInDoubleError'
}

const problems: string[] = []

/** Records errors inside the double that have no caller; the harness reads them when the app closes. */
export function problem(text: string): void {
  problems.push(text)
  process.stderr.write(`[electron double] ${text}\n`)
}

export function problemsSoFar(): string[] {
  return [...problems]
}

/** Names that JavaScript itself reads from any object. */
const asked = new Set([
  'then',
  'toJSON',
  'constructor',
  'prototype',
  'nodeType',
  'asymmetricMatch',
  'inspect',
  'domain',
])

const proxies = new WeakSet()

/** `target`, except that reading a missing member throws. Records what the app uses. */
export function loud<T extends object>(name: string, target: T): T {
  const proxy = new Proxy(target, {
    get(object, key, receiver) {
      if (typeof key === 'string' && isCallOfApp()) noteUse(`${name}.${key}`)
      if (typeof key === 'string' && !(key in object) && !asked.has(key)) {
        throw new MissingInDoubleError(`The Electron double has no ${name}.${key}`)
      }
      return Reflect.get(object, key, receiver) as unknown
    },
    construct(object, args, newTarget) {
      if (isCallOfApp()) noteUse(`new ${name}`)
      const made = Reflect.construct(object as never, args, newTarget) as object
      return proxies.has(made) ? made : loud(name, made)
    },
  })
  proxies.add(proxy)
  return proxy
}

/** An emitter of Electron’s: listening to an event that the double never emits throws. */
export class DoubleEmitter extends EventEmitter {
  constructor(name: string, events: readonly string[]) {
    super()
    const known = new Set(events)
    const heardByApp = new Set<string>()
    const guard =
      (add: (event: string, listener: (...args: never[]) => void) => this) =>
      (event: string, listener: (...args: never[]) => void) => {
        if (!known.has(event))
          throw new MissingInDoubleError(`The Electron double has no event '${event}' of ${name}`)
        if (isCallOfApp()) heardByApp.add(event)
        return add.call(this, event, listener)
      }
    Object.assign(this, {
      on: guard((event, listener) => super.on(event, listener as () => void)),
      once: guard((event, listener) => super.once(event, listener as () => void)),
      addListener: guard((event, listener) => super.on(event, listener as () => void)),
      emit: (event: string, ...args: unknown[]): boolean => {
        if (heardByApp.has(event)) noteUse(`${name} '${event}'`)
        return super.emit(event, ...args)
      },
    })
  }
}

/** The event object of Electron's preventable events. */
export function preventable<T extends object>(
  members: T,
): T & { defaultPrevented: boolean; preventDefault(): void } {
  const event = {
    ...members,
    defaultPrevented: false,
    preventDefault() {
      event.defaultPrevented = true
    },
  }
  return event
}
