import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Log } from '../lib/log.ts'
import {
  feedBatch,
  type FeedPage,
  feedPeriods,
  type FeedRequest,
  feedVersion,
  feedWaitMs,
  type ListeningPeriod,
  readFeedQuery,
} from '../listener/feed-protocol.ts'
import type { OtherAnswer } from '../listener/http-server.ts'
import { type Access, answerOf, failed, isRefusal, type Refusal, type Waiting } from './console-access.ts'
import type { Documents } from './documents.ts'
import type { Inbox } from './inbox.ts'
import type { StoredDelivery } from './store.ts'
import type { TokenRecord } from './tokens.ts'

const replaced: Refusal = { status: 409, reason: 'replaced', error: 'The token is used by another console.' }

const periodOf = ({ id, startedMs, aliveMs, endedMs }: ListeningPeriod) => ({
  id,
  startedMs,
  aliveMs,
  endedMs,
})

/** The first run of consecutive sequences. */
function firstRun(items: readonly StoredDelivery[]): readonly StoredDelivery[] {
  const end = items.findIndex(({ seq }, at) => seq !== items[0]!.seq + at)
  return end === -1 ? items : items.slice(0, end)
}

export type FeedServer = ReturnType<typeof createFeedServer>

/** Answers consoles that ask for deliveries. Nothing is kept between two requests but who reads with a token. */
export function createFeedServer({
  access,
  waiting,
  documents,
  maxFeeds,
  log,
}: {
  access: Access
  waiting: Waiting
  documents: Documents
  maxFeeds: number
  log: Log
}) {
  /** By the hash of the token. A second request of a token means that the first one is dead, so that one ends. */
  const open = new Map<string, { token: TokenRecord }>()
  let refused = 0

  const readerKey = ({ name }: TokenRecord) => `feeds/${name}`

  /** The newest session of a token reads. The console before it is refused, so that two never share a position. */
  async function takeOver(token: TokenRecord, remote: string | undefined): Promise<string> {
    const session = randomUUID()
    await documents.update(readerKey(token), () => JSON.stringify(session))
    log.info('A console reads', { name: token.name, inbox: token.inbox, remote })
    return session
  }

  async function isReader(token: TokenRecord, session: string): Promise<boolean> {
    const holds = () => [undefined, JSON.stringify(session)].includes(documents.read(readerKey(token)))
    // Another relay may have begun the session. A look under way may be too early, so this one looks twice.
    for (let looks = 0; looks < 2 && !holds(); looks++) await documents.refresh()
    return holds()
  }

  async function nextPage(
    req: IncomingMessage,
    inbox: Inbox,
    request: FeedRequest,
    feed: { token: TokenRecord },
  ): Promise<FeedPage | Refusal> {
    const { token } = feed
    const session = request.session ?? (await takeOver(token, req.socket.remoteAddress))
    const waitMs = request.session === undefined ? 0 : feedWaitMs
    return waiting.nextPage(
      req,
      { token, store: inbox.store, waitMs },
      async () => ((await isReader(token, session)) ? read(inbox, token, request, session) : replaced),
      ({ gap, deliveries }) => gap !== null || deliveries.length > 0 || open.get(token.hash) !== feed,
    )
  }

  async function read(
    { store, record, path }: Inbox,
    token: TokenRecord,
    request: FeedRequest,
    session: string,
  ): Promise<FeedPage | Refusal> {
    const relayId = store.id
    const isSame = request.relayId === relayId
    let { after } = request
    if (!isSame || after > store.lastSeq()) {
      const { firstSeq, lastSeq } = await store.extent(isSame ? after : 0)
      if (!isSame) after = record.reader(token.name)?.base ?? firstSeq - 1
      if (after > lastSeq)
        return {
          status: 409,
          reason: 'ahead',
          error: `The relay has ${lastSeq} deliveries, the console ${after}.`,
        }
    }
    record.readUpTo(token.name, after)
    // Before the page: what arrives meanwhile doesn't make the console behind.
    const lastSeq = store.lastSeq()
    const items = await store.readAfter(after, feedBatch)
    const sinceMs = isSame ? request.sinceMs : 0
    const periods = await store.listening(sinceMs)
    if (store.id !== relayId) throw new Error('The numbering changed')
    const firstSeq = items[0]?.seq ?? after + 1
    const deliveries = firstRun(items)
    const isNews = !request.session || periods.some(({ aliveMs }) => aliveMs >= sinceMs + feedWaitMs)
    return {
      relayId,
      session,
      path,
      lastSeq: Math.max(lastSeq, deliveries.at(-1)?.seq ?? after),
      after,
      periods: isNews ? periods.slice(-feedPeriods).map(periodOf) : [],
      gap: firstSeq > after + 1 ? record.gap(after + 1, firstSeq - 1) : null,
      deliveries: deliveries.map(({ receivedMs, headersJson, body }) => ({
        receivedMs,
        headers: JSON.parse(headersJson) as [string, string][],
        body: body.toString('base64'),
      })),
    }
  }

  /** `keepSlot`: waits are no idle connections. */
  async function pageOrRefusal(req: IncomingMessage, keepSlot: () => void): Promise<FeedPage | Refusal> {
    const query = new URL(req.url!, 'http://relay').searchParams
    const allowed = await access(req, query, feedVersion, readFeedQuery(query))
    if (isRefusal(allowed)) return allowed
    const { token, inbox, request } = allowed
    if (open.size >= maxFeeds && !open.has(token.hash))
      return { status: 503, error: 'Too many feeds are open.' }
    keepSlot()
    const feed = { token }
    const isSecond = open.has(token.hash)
    open.set(token.hash, feed)
    if (isSecond) waiting.lookAgain()
    try {
      return await nextPage(req, inbox, request, feed)
    } catch (error) {
      log.error('A console could not be answered', { name: token.name, inbox: token.inbox, error })
      return failed
    } finally {
      if (open.get(token.hash) === feed) open.delete(token.hash)
    }
  }

  return {
    async answer(req: IncomingMessage, keepSlot: () => void): Promise<OtherAnswer> {
      const answer = await pageOrRefusal(req, keepSlot)
      if (isRefusal(answer) && answer.status < 500) refused++
      return answerOf(answer)
    },
    /** Requests that wait. */
    feeds: () => [...open.values()].map(({ token: { name, inbox } }) => ({ token: name, inbox: inbox! })),
    refused: () => refused,
  }
}
