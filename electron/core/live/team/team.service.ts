import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../../contract/errors.ts'
import type { Said } from '../../../contract/phrases.ts'
import type { ErasedBy } from '../../../contract/connection/erase.ts'
import type { TeamView } from '../../../contract/live/team.ts'
import { digestOf } from '../../../lib/digest.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import { beats, createPulse } from '../../../lib/pulse.ts'
import type { Random } from '../../../lib/random.ts'
import { createSerial } from '../../../lib/serial.ts'
import type { RelayFeedConfig } from '../../../listener/protocol.ts'
import { type TeamPage, teamPage, teamPost } from '../../../listener/team-protocol.ts'
import type { SecretStore } from '../../ports.ts'
import type { DncService } from '../../people/dnc/dnc.service.ts'
import type { TeamSends } from '../../people/templates/team-sends.ts'
import type { SharedValues } from '../../people/team/shared-values.ts'
import {
  readPosted,
  signed,
  type TeamHere,
  textOf,
  unsealed,
  unsigned,
} from '../../people/dnc/team-entries.ts'
import { openTeamRequests, problemOf, TeamProblem, type TeamRequests } from './team-requests.ts'
import type { TeamRepository } from '../../people/dnc/team.repository.ts'
import { eraseOnRelay } from './erase-from-log.ts'
import type { createErasures } from './erasures.ts'
import { createTurns, mostTurns } from './turns.ts'
import type { PlatformParts } from '../../platform/parts.ts'

const firstRetryMs = 500
const mostRetryMs = 30_000
const gaps = { minGapMs: 250, maxGapMs: 30_000 }
/** Holds from before joining that are queued per turn: a few milliseconds. */
const earlierPerTurn = 200
/** What was sent is shared at most this often: one entry has all messages since the last. Old ones are forgotten every hour. */
const sendGaps = { minGapMs: 5_000, maxGapMs: 3_600_000 }
/** Entries of a page that are taken per turn. */
const entriesPerTurn = 2_000
/** New entries that come within this time are read together. */
const gatherMs = 500
/** A relay that answers a wait sooner, with nothing new, is asked again after this time. */
const leastWaitMs = 1_000
/** What this console does is posted at most this often, and at once when it begins or ends. */
const tellEveryMs = 10_000
/** Keychain account of the team key of a connection. */
export const teamKeyAccount = (connectionId: string) => `connection/${connectionId}/team-key`

export type TeamService = ReturnType<typeof createTeamService>

/** Shares holds, sends and who handles conversations with the consoles that read the same relay: posts own ones, and takes those of colleagues. */
export function createTeamService(
  parts: Pick<PlatformParts, 'clock' | 'log'> & {
    connectionId: string
    repository: TeamRepository
    dnc: Pick<DncService, 'takeTeam' | 'setTeamRead' | 'shareEarlier' | 'onChange' | 'changed'>
    values: SharedValues['team']
    sends: Pick<TeamSends, 'share' | 'take' | 'prune' | 'onSent'>
    /** Name of the connection, and how many of all items its outbox has sent; 0 of 0 while it sends nothing. */
    work: () => Pick<TeamHere, 'connection' | 'sent' | 'total'>
    /** Sets how much bulk work is left here and at colleagues. */
    setTeam: (ownLeft: number, othersLeft: number) => void
    erasures: ReturnType<typeof createErasures>
    /** Shows the oldest number that a colleague erased and nobody answered here; null for none. */
    showErasure: (author: string | null) => void
    /** Null while the connection reads no relay. */
    relay: () => RelayFeedConfig | null
    secrets: Pick<SecretStore, 'get'>
    keepSecret: (account: string, value: string) => Promise<unknown>
    forgetSecret: (account: string) => Promise<unknown>
    resolveProxies: (origin: string) => Promise<(string | null)[]>
    random: Random
  },
) {
  const { repository, dnc, sends, values, erasures, clock } = parts
  const account = teamKeyAccount(parts.connectionId)
  const pulse = createPulse()
  const serial = createSerial()
  let key: string | null = null
  let state: Pick<TeamView, 'state' | 'problem'> = { state: 'connecting', problem: null }
  let mayPost = true
  const consoleId = randomUUID()
  let here: readonly (TeamHere & { isHere: boolean })[] = []
  let told: { text: string; atMs: number; isBusy: boolean } | null = null
  let running: { stop: AbortController; ended: Promise<void> } | null = null
  /** Posted over this connection and not read back yet. */
  const sent = new Set<string>()
  let wake = new AbortController()
  const turns = createTurns({
    consoleId,
    mayWait: (isUrgent) => running !== null && mayPost && !(isUrgent && state.state === 'failed'),
    author: () => repository.team()?.author ?? null,
    onPost: () => wake.abort(),
    pulse,
    clock,
  })

  function show(next: TeamView['state'], problem: Said | null = null): void {
    const isOther = next !== state.state
    state = { state: next, problem }
    pulse.fire()
    // Verdicts may have become outdated, or fresh.
    if (isOther) dnc.changed()
  }

  function view(): TeamView {
    const team = repository.team()
    return {
      name: team?.author ?? null,
      hasRelay: parts.relay() !== null,
      ...state,
      readAt: isoTime(team?.readMs ?? null),
      mayPost,
      seq: team?.seq ?? 0,
      waiting: team ? repository.countWaiting() : 0,
      unverified: repository.countUnverified(),
      skipped: team?.skipped ?? 0,
      here:
        state.state === 'current'
          ? here
              .filter(({ isHere }) => isHere)
              .map(({ author, connection, sent, total, console }) => {
                return { name: author, connection, sent, total, isOwn: console === consoleId }
              })
              .sort((one, other) => Number(other.isOwn) - Number(one.isOwn))
          : [],
      erasures: erasures.open().map(({ id, author, atMs, number }) => {
        const digits = key === null ? null : unsealed(number, key)
        return { id, author, at: isoTime(atMs)!, phone: digits === null ? null : `+${digits}` }
      }),
    }
  }

  const erasuresChanged = () => {
    parts.showErasure(erasures.open()[0]?.author ?? null)
    dnc.changed()
  }

  /** What this console does, for colleagues. */
  function ownHere(known: string): string {
    const work = parts.work()
    const isBusy = work.total > 0
    const atMs = clock.now()
    if (told?.isBusy === isBusy && Math.abs(atMs - told.atMs) < tellEveryMs) return told.text
    const entry = { ...work, author: repository.team()!.author, console: consoleId, atMs }
    told = { text: signed(textOf({ kind: 'here', ...entry }), known), atMs, isBusy }
    return told.text
  }

  /** Consoles share the rate limit by what each has left to send. */
  function takeHere(found: TeamPage['here'], known: string): void {
    const newest = new Map<string, (typeof here)[number]>()
    for (const { text, isHere } of found) {
      const entry = readPosted(text, known)?.entry
      // With another token, a console comes twice for a while.
      if (entry?.kind === 'here' && entry.atMs >= (newest.get(entry.console)?.atMs ?? 0))
        newest.set(entry.console, { ...entry, isHere })
    }
    here = [...newest.values()]
    const { sent, total } = parts.work()
    const others = here.filter((one) => one.isHere && one.console !== consoleId)
    parts.setTeam(
      total - sent,
      others.reduce((sum, one) => sum + Math.max(0, one.total - one.sent), 0),
    )
  }

  /** Entries to post next. */
  const toPost = () =>
    mayPost
      ? [...turns.waiting(), ...repository.waiting(teamPost.items - mostTurns)].filter(
          ({ key: one }) => !sent.has(one),
        )
      : []

  /** The next entries, as long as one post may be. */
  function nextPost(known: string): { keys: string[]; entries: string[] } {
    const post = { keys: [] as string[], entries: [] as string[] }
    let sizeBytes = 2
    for (const { key: one, text, isProven } of toPost()) {
      const entry = isProven ? signed(text, known) : unsigned(text, known)
      sizeBytes += Buffer.byteLength(JSON.stringify(entry)) + 1
      if (sizeBytes > teamPost.bytes) break
      post.keys.push(one)
      post.entries.push(entry)
    }
    return post
  }

  async function startOver(
    requests: TeamRequests,
    relayId: string,
    known: string,
    stopped: AbortSignal,
  ): Promise<void> {
    const before = repository.team()!.relayId
    if (before !== null && before !== relayId && !(await isOurs(requests, known, stopped)))
      throw new TeamProblem({ key: 'team.otherTeam' })
    sent.clear()
    repository.startOver(relayId)
  }

  /** Whether someone of the team wrote the newest entries, or nobody did. */
  async function isOurs(requests: TeamRequests, known: string, signal: AbortSignal): Promise<boolean> {
    const { relayId, lastSeq } = await requests.page({ after: 0, wait: false }, signal)
    const after = Math.max(0, lastSeq - teamPage.items)
    const { entries } = await requests.page({ relayId, after, wait: false }, signal)
    return (
      entries.every((entry) => entry === '') || entries.some((entry) => readPosted(entry, known)?.isProven)
    )
  }

  /** False if the log must be read again: something asked for that meanwhile. */
  async function take(
    { relayId, after, upTo, entries }: TeamPage,
    asked: { relayId?: string | undefined; after: number },
    requests: TeamRequests,
    known: string,
    stopped: AbortSignal,
  ): Promise<boolean> {
    const isAt = (seq: number) => repository.team()!.seq === seq
    if (!isAt(asked.after)) return false
    if (relayId !== asked.relayId || after !== asked.after) {
      if (after !== 0)
        throw new TeamProblem({ key: 'relay.protocol', reason: 'It continues at another place' })
      await startOver(requests, relayId, known, stopped)
    }
    for (let at = 0; at < entries.length; at += entriesPerTurn) {
      if (!isAt(after + at)) return false
      const some = entries.slice(at, at + entriesPerTurn)
      const found = some.map((entry) => readPosted(entry, known)).filter((entry) => entry !== null)
      const isEnd = at + some.length === entries.length
      const seq = isEnd ? upTo : after + at + some.length
      // Before the position moves: after a crash they are taken again.
      sends.take(found)
      values.take(found)
      for (const { entry, text } of found) if (entry.kind === 'later') repository.take(entry, text)
      erasures.take(found, known)
      dnc.takeTeam(found, {
        seq,
        last: digestOf(some.at(-1)!),
        skipped: some.filter((entry) => entry !== '').length - found.length,
      })
      for (const { entry } of found) if (entry.kind === 'turn') turns.read(entry)
      if (found.some(({ entry }) => entry.kind === 'erase')) erasuresChanged()
      await nextTurn()
    }
    return isAt(upTo)
  }

  /** Starts over if the relay has another entry at this console's position: it was restored from a backup. */
  async function checkPosition(requests: TeamRequests, known: string, stopped: AbortSignal): Promise<void> {
    const { relayId, seq, last } = repository.team()!
    if (relayId === null || seq === 0) return
    const page = await requests.page({ relayId, after: seq - 1, wait: false }, stopped)
    const [entry] = page.entries
    const isSame = page.relayId === relayId && page.after === seq - 1
    // An erased entry is empty.
    if (!isSame || entry === undefined || (entry !== '' && digestOf(entry) !== last))
      await startOver(requests, page.relayId, known, stopped)
  }

  const isSameRelay = (relay: RelayFeedConfig) => JSON.stringify(relay) === JSON.stringify(parts.relay())

  /** Reads and posts until something fails, or another relay was set. */
  async function readOn(attempt: number, onProgress: () => void, stopped: AbortSignal): Promise<void> {
    const relay = parts.relay()
    if (!relay) throw new TeamProblem({ key: 'team.noRelay' })
    key ??= await parts.secrets.get(account)
    if (key === null) throw new TeamProblem({ key: 'team.noKey' })
    const requests = await openTeamRequests(relay, attempt, parts)
    sent.clear()
    try {
      await checkPosition(requests, key, stopped)
      for (let isCurrent = false; isSameRelay(relay);) {
        const { relayId, seq } = repository.team()!
        wake = new AbortController()
        const asked: Parameters<typeof requests.page>[0] = {
          relayId: relayId ?? undefined,
          after: seq,
          wait: isCurrent && toPost().length === 0,
          here: ownHere(key),
        }
        const askedMs = clock.monotonic()
        const page: TeamPage | null = await requests
          .page(asked, AbortSignal.any([stopped, wake.signal]))
          .catch((error: unknown) => {
            if (stopped.aborted || !wake.signal.aborted) throw error
            return null
          })
        stopped.throwIfAborted()
        // There is something to post.
        if (!page) continue
        if (page.entries.length === 0 && (page.upTo !== page.after || page.after < page.lastSeq))
          throw new TeamProblem({ key: 'relay.protocol', reason: 'Entries are missing' })
        const isTaken = await take(page, asked, requests, key, stopped)
        stopped.throwIfAborted()
        if (!isTaken) continue
        mayPost = page.mayPost
        takeHere(page.here, key)
        isCurrent = page.upTo >= page.lastSeq
        if (isCurrent) {
          repository.setRead(clock.now())
          dnc.setTeamRead(clock.now())
        }
        show(isCurrent ? 'current' : 'reading')
        onProgress()
        const { keys, entries } = isCurrent ? nextPost(key) : { keys: [], entries: [] }
        const isEarly = asked.wait && page.entries.length === 0 && clock.monotonic() - askedMs < leastWaitMs
        if (isEarly) await clock.sleep(leastWaitMs, stopped)
        if (entries.length === 0) {
          // A busy log is read in pieces, not entry by entry.
          const own = AbortSignal.any([stopped, wake.signal])
          if (asked.wait && page.entries.length > 0) await clock.sleep(gatherMs, own).catch(() => {})
          continue
        }
        await requests.post(entries, stopped)
        for (const one of keys) sent.add(one)
      }
    } finally {
      dnc.setTeamRead(null)
      requests.close()
    }
  }

  async function run(stopped: AbortSignal): Promise<void> {
    let earlierId: number | null = 0
    for (let attempts = 0; !stopped.aborted;) {
      try {
        for (; earlierId !== null && !stopped.aborted; await nextTurn())
          earlierId = dnc.shareEarlier(earlierId, earlierPerTurn)
        while (!stopped.aborted && values.shareEarlier(earlierPerTurn)) await nextTurn()
        await readOn(attempts, () => (attempts = 0), stopped)
      } catch (error) {
        if (stopped.aborted) return
        show('failed', problemOf(error))
        parts.setTeam(0, 0)
      }
      // Full jitter: consoles of a restarted relay don't return at the same moment.
      const delayMs = parts.random() * Math.min(mostRetryMs, firstRetryMs * 2 ** attempts++)
      await clock.sleep(delayMs, stopped).catch(() => {})
    }
  }

  async function shareSends(changed: () => void, stopped: AbortSignal): Promise<void> {
    for await (const _beat of beats({ subscribe: sends.onSent }, clock, sendGaps, stopped)) {
      try {
        sends.prune()
        for (; !stopped.aborted && sends.share(); await nextTurn()) changed()
      } catch (error) {
        parts.log.warn('Could not share what was sent yet', { error })
      }
    }
  }

  const readyToErase = () => {
    const relay = parts.relay()
    if (!relay || !key || !mayPost || state.state !== 'current' || repository.countWaiting() > 0) return null
    return { key, author: repository.team()!.author, open: () => openTeamRequests(relay, 0, parts) }
  }

  function start(): void {
    if (running || !repository.team()) return
    repository.learn()
    show('connecting')
    const stop = new AbortController()
    const changed = () => {
      if (toPost().length > 0) wake.abort()
      pulse.fire()
    }
    const ends = [dnc.onChange(changed), values.onShared(changed)]
    const erasing = eraseOnRelay({ erasures, ready: readyToErase, pulse, clock, log: parts.log }, stop.signal)
    const ended = Promise.all([run(stop.signal), shareSends(changed, stop.signal), erasing])
      .catch((error: unknown) => parts.log.error('The team stopped', { error }))
      .then(() => ends.forEach((end) => end()))
    running = { stop, ended }
    erasuresChanged()
  }

  async function stop(): Promise<void> {
    running?.stop.abort()
    await running?.ended
    running = told = null
    parts.setTeam(0, 0)
    pulse.fire()
  }

  /** Throws TEAM_KEY_WRONG when nobody of the team wrote the newest entries with this key. */
  async function checkKey(relay: RelayFeedConfig, given: string): Promise<void> {
    const requests = await openTeamRequests(relay, 0, parts)
    try {
      if (!(await isOurs(requests, given, new AbortController().signal))) throw new AppError('TEAM_KEY_WRONG')
    } finally {
      requests.close()
    }
  }

  return {
    start,
    stop,
    /** See `createTurns`. Outside a team, and without the relay, this console acts. */
    act: turns.act,
    async *watch(signal: AbortSignal): AsyncGenerator<TeamView> {
      for await (const _beat of beats(pulse, clock, gaps, signal)) yield view()
    },
    join: (order: { name: string; key: string }): Promise<TeamView> =>
      serial(async () => {
        const relay = parts.relay()
        if (!relay) throw new AppError('INVALID_INPUT', { detail: { key: 'input.teamNoRelay' } })
        await checkKey(relay, order.key).catch((error: unknown) => {
          if (error instanceof AppError) throw error
          throw new AppError('TEAM_RELAY_FAILED', { detail: problemOf(error) }, { cause: error })
        })
        await stop()
        await parts.keepSecret(account, order.key)
        key = order.key
        if (!repository.team()) repository.join(order.name)
        start()
        dnc.changed()
        return view()
      }),
    /** To call when a number was erased here: asks colleagues to erase it too, or answers them. Does nothing without a team or its key. */
    async erased(order: { id: string; digits: number; isHeld: boolean }): Promise<void> {
      if (!repository.team()) return
      key ??= await parts.secrets.get(account)
      if (key === null) return
      erasures.erased(order, key)
      erasuresChanged()
    },
    /** Who erased a number too, keeps it, or hasn't answered, as far as is known; null if nobody was asked, or can't be. */
    erasedBy(id: string): ErasedBy | null {
      const answers = erasures.answers(id)
      if (!answers || (!mayPost && erasures.waits(id))) return null
      const named = (isErased: boolean) =>
        answers.flatMap((one) => ((one.isErased === 1) === isErased ? [one.author] : []))
      const answered = new Set([repository.team()?.author, ...answers.map(({ author }) => author)])
      const missing = new Set(here.map(({ author }) => author).filter((author) => !answered.has(author)))
      return { erased: named(true), kept: named(false), missing: [...missing], inLog: erasures.inLog(id) }
    },
    keepErased({ id }: { id: string }): TeamView {
      erasures.keep(id)
      erasuresChanged()
      return view()
    },
    leave: (): Promise<TeamView> =>
      serial(async () => {
        await stop()
        values.shareAgain()
        repository.leave()
        erasuresChanged()
        key = null
        await parts.forgetSecret(account)
        dnc.changed()
        pulse.fire()
        return view()
      }),
  }
}
