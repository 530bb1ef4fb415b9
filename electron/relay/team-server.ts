import type { IncomingMessage } from 'node:http'
import * as z from 'zod'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { feedWaitMs } from '../listener/feed-protocol.ts'
import type { OtherAnswer } from '../listener/http-server.ts'
import {
  mayErase,
  readTeamPost,
  readTeamQuery,
  type TeamPage,
  teamPage,
  teamPost,
  type TeamRequest,
  teamVersion,
} from '../listener/team-protocol.ts'
import { type Access, answerOf, failed, isRefusal, type Waiting } from './console-access.ts'
import { type Documents, readJson } from './documents.ts'
import type { Inbox } from './inbox.ts'
import type { RelayTokens, TokenRecord } from './tokens.ts'

/** A console asks at least every 5 s. */
const goneAfterMs = 30_000
const noteEveryMs = 10_000
const hereShape = z.object({ atMs: z.number(), text: z.string() })

/** Null when it is too long. */
async function bodyOf(req: IncomingMessage): Promise<string | null> {
  if (Number(req.headers['content-length'] ?? 0) > teamPost.bytes) return null
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of req as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length
    if (sizeBytes > teamPost.bytes) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** Keeps and passes on what the consoles of an inbox tell each other. Each has its own position, which isn't kept here. */
export function createTeamServer({
  access,
  waiting,
  tokens,
  documents,
  maxFeeds,
  maxLogBytes,
  clock,
  log,
}: {
  access: Access
  waiting: Waiting
  tokens: RelayTokens
  documents: Documents
  /** Most requests at a time. */
  maxFeeds: number
  /** A log of this size takes no more entries. Only what is erased leaves it. */
  maxLogBytes: number
  clock: Clock
  log: Log
}) {
  let open = 0
  const noted = new Map<string, z.infer<typeof hereShape>>()

  /** Tells all relays of the store that a console is here. */
  async function noteHere({ name, inbox }: TokenRecord, text: string): Promise<void> {
    const key = `here/${inbox}/${name}`
    const atMs = clock.now()
    const last = noted.get(key)
    if (last?.text === text && Math.abs(atMs - last.atMs) < noteEveryMs) return
    noted.set(key, { atMs, text })
    // Without its store, the relay says so in the answer.
    await documents.update(key, () => JSON.stringify({ atMs, text })).catch(() => {})
  }

  const hereIn = (inbox: string) =>
    tokens.readersOf(inbox).flatMap((name) => {
      const last = readJson(hereShape, documents.read(`here/${inbox}/${name}`))
      return last ? [{ text: last.text, isHere: clock.now() - last.atMs < goneAfterMs }] : []
    })

  async function read({ team }: Inbox, request: TeamRequest, { readOnly }: TokenRecord): Promise<TeamPage> {
    const relayId = team.id
    const isSame = request.relayId === relayId
    // Asked each time, so that a relay without its store doesn't call the log read.
    const { lastSeq } = await team.extent(isSame ? request.after : 0)
    const after = isSame && request.after <= lastSeq ? request.after : 0
    const items = await team.readAfter(after, teamPage)
    if (team.id !== relayId) throw new Error('The numbering changed')
    // An erased entry may be missing in the store.
    const bodies = new Map(items.map(({ seq, body }) => [seq, body.toString()]))
    const upTo = Math.min(items.at(-1)?.seq ?? after, after + teamPage.items)
    const entries = Array.from({ length: upTo - after }, (_one, at) => bodies.get(after + 1 + at) ?? '')
    const here = hereIn(request.inbox)
    return { relayId, after, upTo, lastSeq: Math.max(lastSeq, upTo), here, mayPost: !readOnly, entries }
  }

  async function take(req: IncomingMessage, { team }: Inbox, token: TokenRecord): Promise<object> {
    if (token.readOnly) return { status: 403, error: 'This token may only read.' }
    const body = await bodyOf(req)
    if (body === null) return { status: 413, error: 'The request is too long.' }
    const entries = readTeamPost(body)
    if (!entries) return { status: 400, error: 'The entries can’t be read.' }
    if ('erase' in entries) {
      const secrets = new Map(entries.erase)
      const isAllowed = (seq: number, entry: Buffer) => mayErase(entry.toString(), secrets.get(seq)!)
      return { erased: await team.erase([...secrets.keys()], isAllowed) }
    }
    if ((await team.extent()).bytes >= maxLogBytes)
      return { status: 507, error: 'The log of the team is full.' }
    const kept = { verdict: 'unsigned', secretId: null, remote: '', headersJson: '[]' } as const
    const receivedMs = clock.now()
    await team.append(entries.map((entry) => ({ ...kept, receivedMs, body: Buffer.from(entry) })))
    return { stored: entries.length }
  }

  async function answerTo(req: IncomingMessage, keepSlot: () => void): Promise<object> {
    const query = new URL(req.url!, 'http://relay').searchParams
    const allowed = await access(req, query, teamVersion, readTeamQuery(query))
    if (isRefusal(allowed)) return allowed
    if (open >= maxFeeds) return { status: 503, error: 'Too many team requests are open.' }
    keepSlot()
    const { inbox, request, token } = allowed
    if (request.here !== undefined) void noteHere(token, request.here)
    open++
    try {
      if (req.method === 'POST') return await take(req, inbox, token)
      return await waiting.nextPage(
        req,
        { token, store: inbox.team, waitMs: request.wait ? feedWaitMs : 0 },
        () => read(inbox, request, token),
        ({ entries, after }) => entries.length > 0 || after !== request.after,
      )
    } catch (error) {
      log.error('The log of a team could not be used', { name: token.name, inbox: token.inbox, error })
      return failed
    } finally {
      open--
    }
  }

  return {
    answer: async (req: IncomingMessage, keepSlot: () => void): Promise<OtherAnswer> =>
      answerOf(await answerTo(req, keepSlot)),
  }
}
