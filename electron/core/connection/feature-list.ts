import { createDisposer } from '../../lib/disposable.ts'
import type { Log } from '../../lib/log.ts'

type Work = void | Promise<void>

/** An opened feature. Nothing runs before `start`. */
export interface Opened<Service> {
  service: Service
  start?(): Work
  /** Begins nothing more. `reason` is why the connection closes. */
  stop?(reason?: StopReason): Work
  /** Waits for what is under way. */
  close?(): Work
}

export type StopReason = 'closed' | 'switched' | 'restarted'

interface Entry {
  name: string
  create: (parts: never) => Opened<unknown>
}

/**
 * A typed list of features. Each is opened with the base and the services of the features before it, so an entry listed before
 * something it needs does not compile.
 */
export const featuresOver = <Base extends { logOf: (scope: string) => Log }>() =>
  list<Base, Base, object, object>([], {})

function list<Base extends { logOf: (scope: string) => Log }, Parts, Services, Handlers>(
  entries: readonly Entry[],
  handlers: Handlers,
) {
  return {
    /** The handlers of all features, by name. */
    handlers,
    names: entries.map(({ name }) => name) as (keyof Services)[],
    /** `create` also gets a log with the feature's name. Without handlers, only other features use the service. */
    add<Name extends string, Service, Own extends object = never>(
      name: Name,
      create: (parts: Parts & { log: Log }) => Opened<Service>,
      own?: Own,
    ) {
      return list<
        Base,
        Parts & Record<Name, Service>,
        Services & Record<Name, Service>,
        [Own] extends [never] ? Handlers : Handlers & Record<Name, Own>
      >([...entries, { name, create }], (own ? { ...handlers, [name]: own } : handlers) as never)
    },
    /** Opens every feature in the order of the list. */
    open(base: Base): { services: Services; opened: ReadonlyMap<string, Opened<unknown>> } {
      const services: Record<string, unknown> = {}
      const opened = new Map<string, Opened<unknown>>()
      for (const { name, create } of entries) {
        const one = create({ ...base, ...services, log: base.logOf(name) } as never)
        opened.set(name, one)
        services[name] = one.service
      }
      return { services: services as Services, opened }
    },
  }
}

/**
 * Starts and stops opened features in explicit orders. `stopOrder` names steps as `tasks.stop` or `outbox.close`; `others` are steps
 * that belong to no feature. Throws when a feature's `start`, `stop` or `close` is in no order.
 */
export function createLifecycle(
  opened: ReadonlyMap<string, Opened<unknown>>,
  startOrder: readonly string[],
  stopOrder: readonly string[],
  others: Readonly<Record<string, () => Work>>,
) {
  const steps = new Map<string, (reason?: StopReason) => Work>(Object.entries(others))
  for (const [name, { start, stop, close }] of opened) {
    if (start && !startOrder.includes(name)) throw new Error(`${name} is not in the start order`)
    if (stop) steps.set(`${name}.stop`, stop)
    if (close) steps.set(`${name}.close`, close)
  }
  const missing = [...steps.keys()].filter((step) => !stopOrder.includes(step))
  if (missing.length > 0) throw new Error(`not in the stop order: ${missing.join(', ')}`)
  return {
    async start(): Promise<void> {
      for (const name of startOrder) await opened.get(name)?.start?.()
    },
    /** Takes every step even when one fails, and throws the failures together at the end. */
    async stop(reason?: StopReason): Promise<void> {
      const disposer = createDisposer()
      for (const step of stopOrder.toReversed()) disposer.add(() => steps.get(step)?.(reason))
      await disposer.dispose()
    },
  }
}
