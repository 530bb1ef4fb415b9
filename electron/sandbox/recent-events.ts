import { createDice } from './dice.ts'
import { reportOf } from './message-flow.ts'
import { isFinal } from './message-store.ts'
import { drawReply, replyShare } from './seed/draw.ts'
import type { Tenant } from './tenant.ts'
import type { ServiceEvent } from './wire.ts'

const spanMs = 30 * 60_000
const messagesMax = 240

/**
 * Events of the tenant's last 30 minutes, oldest first: final reports, evenly sampled, and some replies. Only
 * final reports, because all arrive at once.
 */
export function recentEvents(tenant: Tenant, seed: number, nowMs: number): ServiceEvent[] {
  const dice = createDice(seed, `${tenant.id}/recent events`)
  const finished = tenant.messages
    .all()
    .filter(({ status, updatedMs }) => isFinal(status) && updatedMs > nowMs - spanMs && updatedMs <= nowMs)
  const step = Math.max(1, finished.length / messagesMax)
  const sample = finished.filter((_message, at) => Math.floor(at / step) !== Math.floor((at - 1) / step))
  const events = sample.flatMap((message): { atMs: number; event: ServiceEvent }[] => {
    const report = reportOf(message)
    if (!report) return []
    const final = { atMs: message.updatedMs, event: report }
    const repliedMs = message.updatedMs + dice.whole(1_000, 8_000)
    return message.status === 'delivered' && dice.chance(replyShare) && repliedMs <= nowMs
      ? [final, { atMs: repliedMs, event: drawReply(dice, message.to, message.from, repliedMs) }]
      : [final]
  })
  return events.sort((a, b) => a.atMs - b.atMs).map(({ event }) => event)
}
