import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '#electron/lib/clock.ts'
import { openFolder } from '#electron/relay/documents.ts'
import { openInbox } from '#electron/relay/inbox.ts'
import { openJournalStore } from '#electron/relay/journal-store.ts'
import type { RelayStore } from '#electron/relay/store.ts'
import { addToken } from '#electron/relay/tokens.ts'
import { quietLog } from '../../helpers/quiet-log.ts'
import { createReader, isCaughtUp, postMany, readFeed, runRelay, testInbox } from '../../helpers/relay.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'
import { delivery } from './store-contract.ts'

/** The console asked for more, so the relay knows that it has everything. */
const isAllRead = (relay: { feeds(): { token: string }[] }) =>
  expect.poll(() => relay.feeds().map(({ token }) => token)).toEqual(['ana'])

/** A relay of which a console has read all three deliveries and left. */
async function readThree(keep: typeof testInbox.keep) {
  const relay = await runRelay({ inboxes: [{ ...testInbox, keep }] })
  await postMany(relay.url, 3, 'read')
  const reader = createReader()
  const feed = readFeed(relay, reader)
  await feed.now(() => reader.deliveries.length === 3)
  await isAllRead(relay)
  feed.client.stop()
  return { relay, reader }
}

/** What a second console gets that joins late. */
async function joinLate(relay: Awaited<ReturnType<typeof runRelay>>) {
  const late = createReader()
  const token = await addToken(openFolder(relay.dataDir), 'bo', 'main', Date.now())
  await readFeed({ url: relay.url, token }, late).now(isCaughtUp)
  return { seqs: late.deliveries.map(({ seq }) => seq), gaps: late.gaps }
}

describe('what a relay keeps', () => {
  it('keeps what a token has not read, and drops what all have read', async () => {
    const keep = { ...testInbox.keep, bytes: 1 }
    const { relay, reader } = await readThree(keep)
    await postMany(relay.url, 4, 'unread')
    await relay.dropOld()
    const again = readFeed(relay, reader)
    await again.now(isCaughtUp)
    expect(reader.deliveries.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(reader.gaps).toEqual([])
    // It misses nothing that it was promised.
    expect(await joinLate(relay)).toEqual({ seqs: [4, 5, 6, 7], gaps: [] })
  })

  it('keeps what one of two tokens has not read', async () => {
    const { relay, reader } = await readThree({ ...testInbox.keep, bytes: 1 })
    const late = createReader()
    const token = await addToken(openFolder(relay.dataDir), 'bo', 'main', Date.now())
    const joined = readFeed({ url: relay.url, token }, late)
    await joined.now(isCaughtUp)
    joined.client.stop()
    await postMany(relay.url, 4, 'later')
    await readFeed(relay, reader).now(() => reader.deliveries.length === 7)
    await isAllRead(relay)
    await relay.dropOld()
    await readFeed({ url: relay.url, token }, late).now(isCaughtUp)
    expect(late.deliveries.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(late.gaps).toEqual([])
  })

  it('reports what it dropped at the hard limit as a gap', async () => {
    const keep = { ...testInbox.keep, bytes: 1, unreadBytes: 1 }
    const { relay, reader } = await readThree(keep)
    const beforeMs = Date.now()
    await postMany(relay.url, 5, 'dropped')
    await relay.dropOld()
    const again = readFeed(relay, reader)
    await again.now(isCaughtUp)
    expect(reader.deliveries.map(({ seq }) => seq)).toEqual([1, 2, 3, 8])
    expect(reader.gaps).toMatchObject([{ fromSeq: 4, toSeq: 7 }])
    expect(reader.gaps[0]!.fromMs).toBeGreaterThanOrEqual(beforeMs)
    expect(reader.gaps[0]!.toMs).toBeLessThanOrEqual(Date.now())
  })

  it('keeps deliveries for a token that was added while the store was away', async () => {
    const documents = openFolder(join(tempFolder(), 'relay'))
    const parts = { clock: systemClock, log: quietLog }
    const stored = openJournalStore({ folder: tempFolder(), ...parts })
    let isAway = false
    const store: RelayStore = {
      ...stored,
      extent: () => (isAway ? Promise.reject(new Error('away')) : stored.extent()),
    }
    const storage = {
      documents,
      openStore: () => Promise.resolve(store),
      close: () => Promise.resolve(),
    }
    const keep = { ...testInbox.keep, bytes: 1 }
    const inbox = await openInbox({ ...testInbox, keep }, storage, systemClock, quietLog)
    onTestFinished(() => inbox.close())
    const one = delivery('x', Date.now())
    await store.append([one, one, one])
    isAway = true
    await expect(inbox.setReaders(['ana'])).rejects.toThrow('away')
    isAway = false
    await inbox.dropOld()
    expect(inbox.unread()).toEqual({ ana: 3 })
    expect(await store.extent()).toMatchObject({ firstSeq: 1 })
  })

  it('drops by age', async () => {
    const { relay } = await readThree({ ...testInbox.keep, ageMs: -60_000 })
    await relay.dropOld()
    expect((await joinLate(relay)).seqs).toEqual([3])
  })
})
