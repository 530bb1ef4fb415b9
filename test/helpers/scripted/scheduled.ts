import type { ScheduledMessage, ScheduledMessageId } from '#contract/domain.ts'
import type { ScheduledReading, ScheduledStep } from '#contract/views/scheduled.ts'
import type { Script } from './script.ts'
import { ago, hourMs, minuteMs } from './broadcast.ts'

const names = ['Ana', 'Bo', 'Chen', 'Dagny']

/** A scheduled message with these members replaced. */
export function aScheduled(of: Partial<Omit<ScheduledMessage, 'id'>> & { id: string }): ScheduledMessage {
  return {
    tenantId: null,
    accountId: null,
    fromNumber: '+15550100',
    toNumber: '+15553000001',
    body: 'Your appointment is tomorrow at 09:30.',
    status: 'pending',
    scheduledAt: ago(-hourMs),
    createdAt: ago(30 * hourMs),
    ...of,
    id: of.id as ScheduledMessageId,
  }
}

/** `count` entries over the days around now: sent, overdue, upcoming, cancelled and of an unknown status. */
export function ordinaryScheduled(count: number): ScheduledMessage[] {
  return Array.from({ length: count }, (_item, index) => {
    const inMs = (index - Math.floor(count / 4)) * 37 * minuteMs + 90_000
    const isPast = inMs < 0
    const status = isPast
      ? (['sent', 'sent', 'failed', 'pending'] as const)[index % 4]!
      : index % 23 === 7
        ? 'canceled'
        : index % 31 === 5
          ? 'in_queue'
          : 'pending'
    return aScheduled({
      id: `sch-${index}`,
      toNumber: `+1555${String(3_000_000 + index * 6011).slice(0, 7)}`,
      fromNumber: index % 5 === 0 ? 'ACME' : '+15550100',
      body: `Hello ${names[index % names.length]!}, your appointment number ${index} is due soon.`,
      status,
      scheduledAt: ago(-inMs),
    })
  })
}

/** A reading of the whole list, `agoMs` old. */
export const aReading = (items: readonly ScheduledMessage[], agoMs = 0): ScheduledReading => ({
  asOf: ago(agoMs),
  loaded: items.length,
  total: items.length,
  state: 'whole',
})

/** A stream of these steps, as the core returns one. */
export async function* stepsOf(steps: readonly ScheduledStep[]): AsyncGenerator<ScheduledStep, void> {
  for (const step of steps) yield await Promise.resolve(step)
}

/** The steps of a list that the service returns at once. */
export function readingSteps(items: ScheduledMessage[]): ScheduledStep[] {
  return [
    { kind: 'page', items, pagesDone: 1, pagesTotal: 1, total: items.length, sweep: 1 },
    { kind: 'done', reading: aReading(items), gone: [] },
  ]
}

/** Messages that the service will send later. */
export function scriptedScheduled(files: {
  put(id: string, name: string, text: string): void
}): Script['scheduled'] {
  const items = ordinaryScheduled(140)
  return {
    read: () => stepsOf(readingSteps(items)),
    exportCsv: ({ ids }) => {
      files.put('file-scheduled', 'scheduled.csv', ['id', ...ids].join('\r\n'))
      return { fileId: 'file-scheduled', name: 'scheduled.csv', count: ids.length }
    },
  }
}
