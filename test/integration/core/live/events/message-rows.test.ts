import { expect, it, onTestFinished } from 'vitest'
import { seededRandom } from '#electron/lib/random.ts'
import { type Body, dlr, type EventsFixture, mo, openEventsFixture } from './events-fixture.ts'

const dayMs = 86_400_000
const rounds = 14
/** From first to furthest, with one unknown to the spec. */
const statuses = ['queued', 'submitted', 'buffered', 'failed', 'delivered'] as const
const isFinal = (at: number) => at >= statuses.indexOf('failed')

interface ShownMessage {
  message_id: string
  status: string
  firstMs: number
  /** The message row of the event; null without one. */
  kind: string | null
  eventMessageId: string | null
}

const shownOf = (fixture: EventsFixture): ShownMessage[] =>
  fixture
    .state()
    .prepare<[], ShownMessage>(
      `SELECT m.message_id, m.status, m.first_ms AS firstMs, e.kind, e.message_id AS eventMessageId
       FROM messages m LEFT JOIN events e ON e.seq = m.seq`,
    )
    .all()
const keptOf = (fixture: EventsFixture) =>
  fixture.state().prepare<[], ShownMessage>('SELECT message_id, status FROM kept_messages').all()
const reportedOf = (fixture: EventsFixture) =>
  fixture
    .state()
    .prepare<[], string>(`SELECT DISTINCT message_id FROM events WHERE kind = 'dlr' ORDER BY message_id`)
    .pluck()
    .all()

/** Deliveries in any order: reports with duplicates, inbound messages with the same IDs, and odd ones. */
function deliveries(random: () => number, furthest: Map<string, number>): Body[] {
  return Array.from({ length: 1 + Math.floor(random() * 60) }, () => {
    const id = `m-${Math.floor(random() * 80)}`
    const kind = random()
    if (kind < 0.15) return mo(id, 'hello')
    if (kind < 0.2) return { event: 'dlr', message_id: id }
    const at = Math.floor(random() * statuses.length)
    furthest.set(id, Math.max(at, furthest.get(id) ?? 0))
    return dlr(id, statuses[at]!)
  })
}

it.each([1, 2, 3])(
  'message rows list each message once under one of its reports, for any arrivals and expiries: %i',
  async (seed) => {
    const random = seededRandom(seed)
    const fixture = openEventsFixture()
    onTestFinished(() => fixture.close())
    /** Every message that is not forgotten. */
    const furthest = new Map<string, number>()
    /** When the first report of each came. */
    const firstMs = new Map<string, number>()
    let beforeMs = 0

    const check = (round: number) => {
      const shown = shownOf(fixture)
      const kept = keptOf(fixture)
      const where = `round ${round}`
      for (const { message_id: id, kind, eventMessageId, firstMs: ms } of shown)
        expect([kind, eventMessageId, ms], where).toEqual(['dlr', id, firstMs.get(id)])
      const listed = [...shown, ...kept].map(({ message_id: id, status }) => `${id} ${status}`)
      const expected = [...furthest].map(([id, at]) => `${id} ${statuses[at]}`)
      expect(listed.sort(), where).toEqual(expected.sort())
    }

    for (let round = 0; round < rounds; round++) {
      for (let turn = 0; turn < 3; turn++) await fixture.deliver(deliveries(random, furthest))
      for (const id of furthest.keys()) if (!firstMs.has(id)) firstMs.set(id, fixture.clock.now())
      check(round)
      await fixture.clock.advance(dayMs)
      beforeMs = Math.max(beforeMs, fixture.clock.now() - Math.floor(random() * 4 * dayMs))
      const lastSeq = fixture.reader().lastSeq()
      const upToSeq = random() < 0.5 ? lastSeq : Math.floor(random() * lastSeq)
      await fixture.projector.prune(
        { upToSeq, beforeMs, ...(random() < 0.3 ? { maxEvents: 30 } : {}) },
        () => {},
        new AbortController().signal,
      )
      const reported = new Set(reportedOf(fixture))
      // A final message is forgotten with its last report.
      for (const [id, at] of furthest)
        if (isFinal(at) && !reported.has(id)) for (const known of [furthest, firstMs]) known.delete(id)
      check(round)
      if (random() < 0.2) await fixture.reopen()
    }
  },
)
