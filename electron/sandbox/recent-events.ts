import { createDice } from './dice.ts'
import { reportOf } from './message-flow.ts'
import { isFinal } from './message-store.ts'
import { replyTexts, stopTexts } from './seed/texts.ts'
import type { Tenant } from './tenant.ts'
import { type ServiceEvent, toTime } from './wire.ts'

const spanMs = 30 * 60_000
const messagesMax = 240
const replyShare = 0.05
const stopShare = 0.15

/**
 * Events of the tenant's last 30 minutes, oldest first: final reports, evenly sampled, and some replies. Only
 * final reports, because all arrive at once.
 */
export function recentEvents(tenant: Tenant, seed: number, nowMs: number): ServiceEvent[] {
  const dice = createDice(seed, `${tenant.id}/recent events`)
  const ended = tenant.messages
    .all()
    .filter(({ status, updatedMs }) => isFinal(status) && updatedMs > nowMs - spanMs && updatedMs <= nowMs)
  const step = Math.max(1, ended.length / messagesMax)
  const chosen = ended.filter((_message, at) => Math.floor(at / step) !== Math.floor((at - 1) / step))
  const events = chosen.flatMap((message): { atMs: number; event: ServiceEvent }[] => {
    const report = reportOf(message)
    if (!report) return []
    const told: { atMs: number; event: ServiceEvent }[] = [{ atMs: message.updatedMs, event: report }]
    const answeredMs = message.updatedMs + dice.whole(1_000, 8_000)
    if (message.status === 'delivered' && dice.chance(replyShare) && answeredMs <= nowMs)
      told.push({
        atMs: answeredMs,
        event: {
          event: 'mo',
          message_id: dice.uuid(),
          source: message.to,
          destination: message.from,
          content: dice.chance(stopShare) ? dice.pick(stopTexts) : dice.pick(replyTexts),
          received_at: toTime(answeredMs),
        },
      })
    return told
  })
  return events.sort((a, b) => a.atMs - b.atMs).map(({ event }) => event)
}
