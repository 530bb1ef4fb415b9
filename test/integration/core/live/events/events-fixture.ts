import { createOptOutReader } from '#electron/core/people/dnc/possible-opt-outs.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { EventBatch, EventFilter, EventRow } from '#contract/live/events.ts'
import { defaultOptOutKeywords } from '#electron/core/people/dnc/opt-out-keywords.ts'
import { openDatabase } from '#electron/database/open.ts'
import { createLog, type LogEntry } from '#electron/lib/log.ts'
import { openJournalReader } from '#electron/listener/journal-reader.ts'
import { type Delivery, openJournal } from '#electron/listener/journal.ts'
import { createEvents } from '../../../../helpers/create-events.ts'
import { createFakeClock } from '../../../../helpers/fake-clock.ts'

/** Any body, as posted. */
export type Body = Uint8Array | string | object

export type EventsFixture = ReturnType<typeof openEventsFixture>

export function bytesOf(body: Body): Uint8Array {
  if (body instanceof Uint8Array) return body
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

/** A real journal, state database and events feature, with a clock that the test moves, closed after the test. */
export function openEventsFixture(options: { start?: boolean } = {}) {
  const folder = join(mkdtempSync(join(tmpdir(), 'events-')), 'connection')
  const clock = createFakeClock()
  const logged: LogEntry[] = []
  const log = createLog((entry) => void logged.push(entry), 'test', clock.now)
  const journalFile = join(folder, 'journal.db')
  const journal = openJournal({ file: journalFile, log, now: clock.now })

  const open = () => {
    const reader = openJournalReader(journalFile)
    const state = openDatabase({ file: join(folder, 'state.db'), schema: 'state', log, now: clock.now })
    const feature = createEvents({
      stateDb: state.db,
      journal: reader,
      clock,
      log,
      optOutSign: (text) => createOptOutReader(fixture.optOutKeywords)(text),
      listening: () => (fixture.listening ? 'yes' : 'no'),
    })
    const stop = options.start === false ? () => {} : feature.projector.start()
    return {
      state,
      feature,
      reader,
      async close() {
        await stop()
        reader.close()
        state.close()
      },
    }
  }

  const fixture = {
    clock,
    journal,
    /** The current databases and feature; `reopen` replaces them. */
    state: () => now.state.db,
    feature: () => now.feature,
    get service() {
      return now.feature.service
    },
    get projector() {
      return now.feature.projector
    },
    reader: () => now.reader,
    optOutKeywords: [...defaultOptOutKeywords] as string[],
    listening: true,
    logged,
    /** Appends to the journal without notifying the projector. */
    append: (bodies: Body[], delivery: Partial<Omit<Delivery, 'body'>> = {}): number =>
      journal.append(
        bodies.map((body) => ({
          receivedMs: clock.now(),
          verdict: 'signed' as const,
          secretId: 'secret-1',
          remote: '127.0.0.1',
          headersJson: '[["content-type","application/json"]]',
          ...delivery,
          body: bytesOf(body),
        })),
      ),
    /** Appends and waits until it is projected. */
    async deliver(bodies: Body[], delivery?: Partial<Omit<Delivery, 'body'>>): Promise<void> {
      now.feature.projector.notify(fixture.append(bodies, delivery))
      await now.feature.projector.caughtUp()
    },
    /** Closes and reopens core and databases like a restart; `between` runs while they are closed. */
    async reopen(between?: () => void): Promise<void> {
      await now.close()
      between?.()
      now = open()
      await now.feature.projector.caughtUp()
    },
    async close(): Promise<void> {
      if (isClosed) return
      isClosed = true
      await now.close()
      journal.close()
      rmSync(join(folder, '..'), { recursive: true })
    },
  }
  let now = open()
  let isClosed = false
  onTestFinished(() => fixture.close())
  return fixture
}

/** All matches of the filter, page by page, newest first. */
export async function searchAll(
  fixture: EventsFixture,
  filter: EventFilter = {},
  limit = 500,
): Promise<EventRow[]> {
  const rows: EventRow[] = []
  let cursor: number | undefined
  for (;;) {
    const page = await fixture.service.search({ filter, limit, cursor })
    rows.push(...page.items)
    if (page.nextCursor === null) return rows
    cursor = page.nextCursor
  }
}

export interface WatchRecord {
  batches: EventBatch[]
  items(): EventRow[]
  /** Resolves when a batch covers `seq`. */
  until(seq: number): Promise<void>
  stop(): Promise<void>
}

/** Follows a filter in the background and keeps every batch. */
export function recordWatch(fixture: EventsFixture, filter: EventFilter, afterSeq: number): WatchRecord {
  const abort = new AbortController()
  const batches: EventBatch[] = []
  const done = (async () => {
    for await (const batch of fixture.service.watch({ filter, afterSeq }, abort.signal)) batches.push(batch)
  })()
  return {
    batches,
    items: () => batches.flatMap((batch) => batch.items),
    async until(seq) {
      while ((batches.at(-1)?.upToSeq ?? -1) < seq) await new Promise((resolve) => setImmediate(resolve))
    },
    async stop() {
      abort.abort()
      await done
    },
  }
}

/** A delivery report as the spec writes it. */
export const dlr = (messageId: string, status: string, more: object = {}) => ({
  event: 'dlr',
  message_id: messageId,
  status,
  error_code: null,
  destination: '+15550001111',
  delivered_at: '2026-01-05T09:00:00Z',
  ...more,
})

/** An inbound message as the spec writes it. */
export const mo = (messageId: string, content: string, more: object = {}) => ({
  event: 'mo',
  message_id: messageId,
  source: '+15550002222',
  destination: '+15550009999',
  content,
  received_at: '2026-01-05T09:00:00Z',
  ...more,
})

/** All rows of every table the projector writes, to compare two states. */
export function dumpOf(fixture: EventsFixture): Record<string, unknown[]> {
  const tables = {
    events: 'seq',
    copies: 'journal_seq',
    kept_messages: 'message_id',
    arrivals: 'grain_ms, bucket_ms, name',
    tallies: 'subject, grain_ms, bucket_ms, name',
    projector: 'id',
  }
  const rowsOf = (sql: string) => fixture.state().prepare<[], object>(sql).all()
  return {
    ...Object.fromEntries(
      Object.entries(tables).map(([table, order]) => [
        table,
        rowsOf(`SELECT * FROM ${table} ORDER BY ${order}`),
      ]),
    ),
    // The parent event depends on the order of arrival.
    messages: rowsOf('SELECT * FROM messages ORDER BY message_id').map((row) => ({ ...row, seq: null })),
  }
}
