/**
 * The page’s half of the context bridge. It runs in the main world of every new document before the page’s scripts, waits for what the
 * preload exposes and creates the frozen stand-ins. Calls reach the other world as synchronous events whose details Chromium clones. Sent
 * into the page as source, so it uses nothing from outside.
 */
export function mainWorld({ secret }: { secret: string }): void {
  type Shape =
    | { kind: 'value'; value: unknown }
    | { kind: 'function'; id: number }
    | { kind: 'object' | 'array'; members: [string, Shape][] }
  // A page may replace these later; the bridge keeps Chromium’s own.
  const { CustomEvent: Event, document, Promise, Error } = window
  const dispatch = EventTarget.prototype.dispatchEvent
  const send = (detail: unknown) => dispatch.call(document, new Event(`${secret}:to-preload`, { detail }))
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>()
  interface Answer {
    ok: boolean
    value?: unknown
    message?: string
    promise?: number
  }
  const last: { answer: Answer | null } = { answer: null }

  function stub(id: number): (...args: unknown[]) => unknown {
    return function (...args) {
      last.answer = null
      send({ kind: 'call', id, args: structuredClone(args) })
      // Filled while `send` ran: events between the worlds are synchronous.
      const given = last.answer as Answer | null
      if (given === null) throw new Error('The preload is gone')
      if (!given.ok) throw new Error(given.message)
      if (given.promise === undefined) return given.value
      return new Promise((resolve, reject) => waiting.set(given.promise!, { resolve, reject }))
    }
  }

  function build(shape: Shape): unknown {
    if (shape.kind === 'value') return shape.value
    if (shape.kind === 'function') return stub(shape.id)
    const target: Record<string, unknown> | unknown[] = shape.kind === 'array' ? [] : {}
    for (const [key, member] of shape.members) (target as Record<string, unknown>)[key] = build(member)
    return Object.freeze(target)
  }

  document.addEventListener(`${secret}:to-page`, (event) => {
    const { detail } = event as CustomEvent<
      | { kind: 'expose'; key: string; shape: Shape }
      | { kind: 'answer'; ok: boolean; value?: unknown; message?: string; promise?: number }
      | { kind: 'settled'; promise: number; ok: boolean; value?: unknown; message?: string }
    >
    if (detail.kind === 'expose') {
      Object.defineProperty(window, detail.key, {
        value: build(detail.shape),
        enumerable: true,
        writable: false,
        configurable: false,
      })
    } else if (detail.kind === 'answer') last.answer = detail
    else {
      const call = waiting.get(detail.promise)
      waiting.delete(detail.promise)
      if (detail.ok) call?.resolve(detail.value)
      else call?.reject(new Error(detail.message))
    }
  })
}
