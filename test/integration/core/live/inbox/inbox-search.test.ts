import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createInboxRepository } from '#electron/core/live/inbox/inbox.repository.ts'
import { createSharedValues } from '#electron/core/people/team/shared-values.ts'
import { systemClock } from '#electron/lib/clock.ts'
import { createInboxService } from '#electron/core/live/inbox/inbox.service.ts'
import { quietLog } from '../../../../helpers/quiet-log.ts'
import { type EventsFixture, openEventsFixture } from '../events/events-fixture.ts'

const messages = 100_000

/** One sender with 100,000 messages; only the oldest has a certain word. */
function storeMessages({ state }: EventsFixture): void {
  state().exec(`
    INSERT INTO events (seq, source_seq, kind, message_id, number, digits, content, received_ms, verdict, message_hash, key_hash)
      WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${messages})
      SELECT n, n, 'mo', 'm-' || n, '+14155550101', '14155550101',
        CASE n WHEN 1 THEN 'a Needle' ELSE 'an ordinary message with some words ' || n END, n, 'signed', n, 0 FROM numbers;
    INSERT INTO inbox_messages (sender, seq) SELECT '14155550101', seq FROM events;
    INSERT INTO inbox_senders (sender, messages, unread, opt_outs, last_seq)
      VALUES ('14155550101', ${messages}, 0, 0, ${messages});
    INSERT INTO inbox_progress (id, seq) VALUES (1, ${messages})
      ON CONFLICT (id) DO UPDATE SET seq = excluded.seq;
  `)
}

it('finds the oldest of 100,000 messages in a conversation and yields to others', async () => {
  const fixture = openEventsFixture({ start: false })
  storeMessages(fixture)
  const inbox = createInboxService({
    repository: createInboxRepository(
      fixture.state(),
      createSharedValues(fixture.state(), systemClock),
      () => null,
      () => false,
    ),
    events: fixture.feature().repository,
    projector: fixture.projector,
    contacts: {
      byPhone: () => null,
      list: () => Promise.resolve({ items: [], nextCursor: null }),
    } as never,
    dnc: { factsOf: () => ({ dncEntry: null, hold: null }) } as never,
    sentTo: () => [],
    clock: fixture.clock,
    log: quietLog,
    onChange: () => {},
  })
  let turns = 0
  let isOver = false
  const others = (async () => {
    for (; !isOver; turns++) await nextTurn()
  })()
  const found = await inbox.list({ which: 'all', text: 'needle', limit: 10 })
  isOver = true
  await others
  expect(found.items.map(({ sender }) => sender)).toEqual(['14155550101'])
  expect(turns).toBeGreaterThanOrEqual(49)
  expect((await inbox.list({ which: 'all', text: 'absent', limit: 10 })).items).toEqual([])

  const abort = new AbortController()
  const given = inbox.list({ which: 'all', text: 'absent', limit: 10 }, abort.signal)
  abort.abort()
  await expect(given).rejects.toThrow('abort')
})
