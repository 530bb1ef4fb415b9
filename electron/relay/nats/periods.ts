import { randomInt, randomUUID } from 'node:crypto'
import * as z from 'zod'
import type { Clock } from '../../lib/clock.ts'
import { type SpanEnd, suspendedAfterMs } from '../../listener/journal.ts'
import { type Documents, readJson } from '../documents.ts'
import type { StoredPeriod } from '../store.ts'

const shape = z.object({
  id: z.number(),
  /** The relay; one with a data folder is the same after a restart. */
  instance: z.string(),
  startedMs: z.number(),
  aliveMs: z.number(),
  endedMs: z.number().nullable(),
  endReason: z.enum(['closed', 'crashed', 'suspended', 'not-stored']).nullable(),
})
type Period = z.infer<typeof shape>

/** Longer than a usual inbox keeps deliveries. */
const keepMs = 100 * 86_400_000

/**
 * Periods of several relays that overlap or touch become one, with the id of the first: a gap is a time when none
 * listened. The others follow as ended, for a console that had one of them alone.
 */
function union(periods: readonly Period[]): StoredPeriod[] {
  const merged: Period[] = []
  const covered: StoredPeriod[] = []
  for (const one of [...periods].sort((a, b) => a.startedMs - b.startedMs)) {
    const last = merged.at(-1)
    const endMs = last?.endedMs ?? Infinity
    const isTouching = one.startedMs === endMs && one.instance !== last?.instance
    if (!last || (one.startedMs >= endMs && !isTouching)) {
      merged.push({ ...one })
      continue
    }
    const { instance: _, ...covering } = one
    covered.push({ ...covering, endedMs: one.endedMs ?? one.aliveMs, endReason: one.endReason ?? 'closed' })
    last.aliveMs = Math.max(last.aliveMs, one.aliveMs)
    if (last.endedMs !== null && (one.endedMs ?? Infinity) > last.endedMs) {
      last.endedMs = one.endedMs
      last.endReason = one.endReason
    }
  }
  const spans = merged.map(({ instance: _, ...span }) => span)
  return [...spans, ...covered].sort((a, b) => a.startedMs - b.startedMs)
}

/** Listening periods of all relays of an inbox. Each relay writes its own; changes wait while the store is away. */
export function openPeriods({
  documents,
  inbox,
  instance = randomUUID(),
  clock,
}: {
  documents: Documents
  inbox: string
  instance?: string | undefined
  clock: Clock
}) {
  const prefix = `periods/${inbox}/`
  const keyOf = ({ id }: Period) => prefix + String(id)
  const unsaved = new Map<string, Period>()
  let running: Period | null = null
  let saving: Promise<void> = Promise.resolve()

  function stored(): Period[] {
    return documents.keys(prefix).flatMap((key) => readJson(shape, documents.read(key)) ?? [])
  }

  function set(period: Period): Period {
    unsaved.set(keyOf(period), period)
    return period
  }

  async function saveAll(): Promise<void> {
    for (const [key, period] of unsaved) {
      await documents.update(key, () => JSON.stringify(period))
      if (unsaved.get(key) === period) unsaved.delete(key)
    }
  }
  const save = () => (saving = saving.then(saveAll).catch(() => {}))

  function begin(nowMs: number): void {
    const id = nowMs * 1_000 + randomInt(1_000)
    running = set({ id, instance, startedMs: nowMs, aliveMs: nowMs, endedMs: null, endReason: null })
  }

  function end(endedMs: number, endReason: Period['endReason']): void {
    if (running) set({ ...running, aliveMs: endedMs, endedMs, endReason })
    running = null
  }

  for (const period of stored()) {
    const { endedMs, aliveMs } = period
    if (period.instance === instance && endedMs === null)
      set({ ...period, endedMs: aliveMs, endReason: 'crashed' })
    else if (aliveMs < clock.now() - keepMs) documents.update(keyOf(period), () => undefined).catch(() => {})
  }

  return {
    begin(): void {
      begin(clock.now())
      void save()
    },
    end(reason: SpanEnd): void {
      end(clock.now(), reason === 'suspended' || reason === 'not-stored' ? reason : 'closed')
      void save()
    },
    /** Sign of life; `isStoring`: false ends the period at the last one. */
    touch(isStoring: boolean): void {
      if (!running) return
      const nowMs = clock.now()
      const { aliveMs } = running
      if (!isStoring) {
        running = { ...running, endReason: 'not-stored' }
        return
      }
      const reason = running.endReason ?? (nowMs - aliveMs > suspendedAfterMs ? 'suspended' : null)
      if (reason) {
        end(aliveMs, reason)
        begin(nowMs)
      } else running = set({ ...running, aliveMs: Math.max(nowMs, aliveMs) })
      void save()
    },
    /** As the union over all relays, oldest first. A relay without a recent sign of life crashed at its last one. */
    list(sinceMs: number): StoredPeriod[] {
      const all = new Map(stored().map((period) => [keyOf(period), period]))
      for (const [key, period] of unsaved) all.set(key, period)
      const spans = [...all.values()].map((one) => {
        const isOwn = one.id === running?.id
        if (one.endedMs !== null || isOwn || one.aliveMs >= clock.now() - suspendedAfterMs) return one
        return { ...one, endedMs: one.aliveMs, endReason: 'crashed' as const }
      })
      return union(spans).filter(({ endedMs }) => endedMs === null || endedMs >= sinceMs)
    },
    close: save,
  }
}
