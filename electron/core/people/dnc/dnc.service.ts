import { setImmediate as nextTurn } from 'node:timers/promises'
import type { InputOf, OutputOf } from '../../../contract/define.ts'
import * as z from 'zod'
import type { DncCache, DncList, Hold, dncContract } from '../../../contract/people/dnc.ts'
import { AppError } from '../../../contract/errors.ts'
import type { InboundProblem } from '../../../contract/people/outbox.ts'
import type { Phrase } from '../../../contract/phrases.ts'
import type { Mark } from '../../../jobs/contact-store/store-types.ts'
import type { MarkSource } from '../../../jobs/contact-store/protocol.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import { knownForMs } from '../../../listener/feed-protocol.ts'
import { otherSpellings } from '../../../lib/phone/other-spellings.ts'
import { toPhoneRegion, parsePhone } from '../../../lib/phone/parse-phone.ts'
import { beats, createPulse } from '../../../lib/pulse.ts'
import { checkConfirmed } from '../../platform/confirm.ts'
import { viewOf } from '../../platform/rpc/errors.ts'
import { settingKey } from '../../platform/settings/connection-settings.ts'
import { createDncSync } from './dnc-sync.ts'
import { createDncVerdicts } from './dnc-verdicts.ts'
import type { DncRepository } from './dnc.repository.ts'
import type { HoldsRepository, ImportedHold, OptOut, Sender } from './holds.repository.ts'
import type { FoundEntry } from './team-entries.ts'
import type { LogPosition, TeamRepository } from './team.repository.ts'
import { defaultOptOutKeywords } from './opt-out-keywords.ts'
import { createOptOutReader, type OptOutSign } from './possible-opt-outs.ts'
import { createRecipientCheck } from './recipient-check.ts'
import type { PeopleParts } from '../parts.ts'

export type { OptOut } from './holds.repository.ts'

type Contract = typeof dncContract
type Input<Name extends keyof Contract> = InputOf<Contract, Name>
type Output<Name extends keyof Contract> = OutputOf<Contract, Name>

/** Holds of an import per turn of the core. */
const holdsPerTurn = 200

const gaps = { minGapMs: 250, maxGapMs: 30_000 }
/** Entries read again before yielding: about 5 ms. */
const entriesPerTurn = 500
/** Default age after which the offline copy no longer proves a number clear. */
const defaultMaxAgeMs = 24 * 3_600_000

const settingsSchema = z.object({
  maxAgeMs: z.number(),
  optOutKeywords: z.array(z.string()).nullable(),
})

export type DncService = ReturnType<typeof createDncService>

export function createDncService(
  parts: PeopleParts & {
    connectionId: string
    /** Paths of `cache.db` and `state.db`; the contacts thread reads numbers from them. */
    cacheFile: string
    stateFile: string
    repository: DncRepository
    holds: HoldsRepository
    team: Pick<TeamRepository, 'team'>
    /** ISO 3166: of numbers in national form, null if unknown. */
    country: () => string | null
    otherReadings: (digits: number) => readonly number[]
  },
) {
  const { repository, holds, settings, contactStore, tasks, clock, log } = parts
  const pulse = createPulse()
  let holdsVersion = 0
  /** When all of the team's log was last read over its running connection; null without one. */
  let teamReadMs: number | null = null
  let listenerProblems = (): InboundProblem[] => []
  const holdsChanged = () => {
    holdsVersion++
    pulse.fire()
  }
  const key = settingKey(parts.connectionId, 'dnc')
  let saved = settings.get(key, settingsSchema) ?? {
    maxAgeMs: defaultMaxAgeMs,
    optOutKeywords: null,
  }
  let words = saved.optOutKeywords ?? [...defaultOptOutKeywords]
  let optOutSign = createOptOutReader(words)
  const save = (change: Partial<typeof saved>) => {
    saved = { ...saved, ...change }
    settings.put(key, saved)
    pulse.fire()
  }
  const sources: Record<Mark, MarkSource> = {
    dnc: { file: parts.cacheFile, list: 'dnc' },
    held: { file: parts.stateFile, list: 'held' },
  }
  const runSync = createDncSync(parts)

  /** Marks contacts in the background. Marks that fail are written at the next start or sync. */
  const mark = (work: Promise<unknown>) =>
    void work.catch((error: unknown) => log.warn('Could not mark contacts', { error }))

  async function endHolds(): Promise<void> {
    const isOnList = (digits: number) => repository.find(digits) !== null
    for (let id: number | null = 0; id !== null; await nextTurn())
      id = holds.endListed(id, entriesPerTurn, isOnList, clock.now())
    await contactStore.replaceMarks('held', sources.held)
  }

  tasks.define('dnc-sync', {
    unit: 'pages',
    canPause: true,
    resumable: true,
    async run(context) {
      const stopUpdates = clock.every(500, () => pulse.fire())
      try {
        const sync = await runSync(context)
        context.report({ counts: { added: sync.added, removed: sync.removed } })
        await contactStore.replaceMarks('dnc', sources.dnc)
        await endHolds()
      } finally {
        stopUpdates()
        pulse.fire()
      }
    },
  })

  function syncView(): DncCache['sync'] {
    const unfinished = repository.unfinished()
    if (!unfinished) return null
    const task = tasks.find(unfinished.taskId)
    const state = task?.state === 'waiting' ? 'running' : task?.state
    return {
      taskId: task?.id ?? null,
      state: state === 'running' || state === 'paused' || state === 'failed' ? state : 'interrupted',
      pagesDone: unfinished.nextPage - 1,
      pagesTotal: task?.progress.total ?? null,
      problem: task?.problem ?? null,
    }
  }

  // A negative age means the clock was set back, so the copy may be outdated.
  function isFresh(asOfMs: number | null, maxAgeMs = saved.maxAgeMs): boolean {
    const ageMs = asOfMs === null ? Infinity : clock.now() - asOfMs
    return ageMs >= 0 && ageMs <= maxAgeMs
  }

  /** How reliable the offline copy and the holds of colleagues are. */
  function listState(): DncList {
    const last = repository.lastComplete()
    const state = () => {
      if (!last) return repository.counts().entries > 0 ? 'partial' : 'never'
      const identity = parts.credentials.identity()
      if (identity !== null && identity !== last.identity) return 'other-key'
      if (!isFresh(last.startedMs)) return 'stale'
      if (repository.isUnreadable()) return 'unreadable'
      return isTeamRead() ? 'fresh' : 'team-stale'
    }
    const problem = inboundProblem()
    return {
      state: state(),
      asOf: last ? isoTime(last.startedMs) : null,
      teamReadAt: isoTime(parts.team.team()?.readMs ?? null),
      waits: problem && viewOf(new AppError('SENDS_WAIT_FOR_INBOUND', { state: problem })),
    }
  }

  /** Whether the team's log was read just now, so that colleagues' holds are known; true outside a team. */
  function isTeamRead(): boolean {
    const team = parts.team.team()
    // Null while the log is read again.
    return team === null || (team.readMs !== null && isFresh(teamReadMs, knownForMs))
  }

  /** Why inbound messages and colleagues' holds, and so opt-outs, can't be read; none while they can. */
  const inboundProblems = (): InboundProblem[] => [
    ...listenerProblems(),
    ...(isTeamRead() ? [] : ['inbound.team' as const]),
  ]
  function inboundProblem(): Phrase | null {
    const [key] = inboundProblems()
    return key ? { key } : null
  }

  function cache(): DncCache {
    const last = repository.lastComplete()
    const { entries, unreadable } = repository.counts()
    const unreadableHolds = holds.countUnreadable()
    const isFirst = last !== null && last.added === entries && last.removed === 0 && last.id === 1
    return {
      ...listState(),
      entries,
      kept: last?.kept ?? 0,
      unreadable,
      unreadableHolds: unreadableHolds.all,
      holdsVersion,
      withoutCountry: parts.country() === null ? repository.nationalCount() + unreadableHolds.national : 0,
      maxAgeMs: saved.maxAgeMs,
      sync: syncView(),
      drift: last && !isFirst ? { added: last.added, removed: last.removed } : null,
    }
  }

  const { numbersOf, ...verdicts } = createDncVerdicts({ ...parts, cache, isTeamRead })

  function digitsOf(phone: string, region: string | null): number {
    const parsed = parsePhone(phone, { region: toPhoneRegion(region) })
    if (!parsed.ok) throw new AppError('NUMBER_INVALID', { phone, reason: parsed.reason })
    return parsed.digits
  }

  const isProvenClear = createRecipientCheck({
    ...parts,
    learned(digits) {
      mark(contactStore.setMarks({ mark: 'dnc', add: [digits], remove: [] }))
      pulse.fire()
    },
  })

  return {
    start(): void {
      // A crash may have left the marks out of date.
      if (repository.lastComplete()) mark(contactStore.replaceMarks('dnc', sources.dnc))
      mark(contactStore.replaceMarks('held', sources.held))
    },
    cache,
    listState,
    /** Differs once the list changed here, or a number was put on hold. */
    blockedVersion: (): string => [repository.changedMs(), repository.newestId(), holds.newestId()].join(' '),
    inboundProblem,
    inboundProblems,
    /** `nowMs`: all of the team's log is read. Null: its connection ended. */
    setTeamRead: (nowMs: number | null) => void (teamReadMs = nowMs),
    /** Called once, by the listener, which opens later. */
    setListener: (listener: { inboundProblems: typeof listenerProblems }) =>
      void (listenerProblems = listener.inboundProblems),
    /** Until when a verdict of the service counts: as long as a copy made now. And for whom: those who ask now. */
    clearance: () => ({
      clearUntilMs: clock.now() + saved.maxAgeMs,
      clearBy: parts.credentials.identity(),
    }),
    async *watch(signal: AbortSignal): AsyncGenerator<DncCache> {
      for await (const _beat of beats(pulse, clock, gaps, signal)) yield cache()
    },
    sync(): { taskId: string } {
      const taskId = tasks.startOnly('dnc-sync', { key: 'subject.dncList' })
      pulse.fire()
      return { taskId }
    },
    /** Takes the last list as it is, without the entries that it no longer has. */
    async useShorterList({ kept, asOf, confirmName }: Input<'useShorterList'>): Promise<DncCache> {
      checkConfirmed(parts.connection(), confirmName)
      const last = repository.lastComplete()
      if (last?.kept !== kept || isoTime(last.startedMs) !== asOf) throw new AppError('DNC_LIST_CHANGED')
      repository.dropKept(clock.now())
      await contactStore.replaceMarks('dnc', sources.dnc)
      pulse.fire()
      return cache()
    },
    setMaxAge({ maxAgeMs }: Input<'setMaxAge'>): DncCache {
      save({ maxAgeMs })
      return cache()
    },
    async list(query: Input<'list'>, signal: AbortSignal): Promise<Output<'list'>> {
      const { limit, cursor } = query
      const { items, total } = await repository.list({
        ...query,
        afterId: cursor === undefined ? 0 : Number(cursor) || 0,
        sync: repository.lastComplete(),
        signal,
      })
      return {
        items,
        total,
        nextCursor: items.length < limit ? null : String(items.at(-1)!.id),
        cache: cache(),
      }
    },
    ...verdicts,
    /** See `createRecipientCheck`. */
    isProvenClear: (digits: number, others: readonly number[]): Promise<boolean> =>
      isProvenClear(numbersOf(digits, others)),
    holds({ which, text, limit, cursor }: Input<'holds'>): Output<'holds'> {
      const [sinceMs = 0, id = 0] = (cursor ?? '').split(' ').map(Number)
      const { items, total } = holds.list(
        which,
        limit,
        cursor === undefined ? undefined : { sinceMs, id },
        text,
      )
      const last = items.at(-1)
      const hasMore = last !== undefined && items.length === limit
      return { items, total, nextCursor: hasMore ? `${Date.parse(last.since)} ${last.id}` : null }
    },
    async hold({ phone, region, evidence }: Input<'hold'>): Promise<Hold> {
      const digits = digitsOf(phone, region)
      const hold = holds.add(digits, evidence, clock.now())
      await contactStore.setMarks({ mark: 'held', add: [digits], remove: [] })
      holdsChanged()
      return hold
    },
    /** Puts numbers on hold by what an imported file says, durably. `startMs`: the start of the import. Returns how many it holds. */
    async holdImported(entries: readonly ImportedHold[], startMs: number): Promise<number> {
      let count = 0
      for (let at = 0; at < entries.length; at += holdsPerTurn) {
        const started = holds.addImported(entries.slice(at, at + holdsPerTurn), startMs)
        count += started.filter((numbers) => numbers !== null).length
        const add = started.flatMap((numbers) => numbers ?? [])
        await contactStore.setMarks({ mark: 'held', add, remove: [] })
      }
      holdsChanged()
      return count
    },
    /** Keeps the sender of a possible opt-out on hold, with its message as evidence. */
    holdSender(message: Sender): void {
      const numbers = holds.holdSender(message)
      if (numbers.length > 0) mark(contactStore.setMarks({ mark: 'held', add: numbers, remove: [] }))
      holdsChanged()
    },
    /** Ends holds of possible opt-outs that are none. */
    endPossible(ids: readonly number[]): void {
      holds.endPossible(ids, clock.now())
      mark(contactStore.replaceMarks('held', sources.held))
      holdsChanged()
    },
    async release({ id, others }: Input<'release'>): Promise<Hold> {
      const released = holds.release(id, clock.now(), others)
      if (!released) throw new AppError('NOT_FOUND', { what: { key: 'what.hold' } })
      await contactStore.replaceMarks('held', sources.held)
      holdsChanged()
      return released
    },
    takeTeam(found: readonly FoundEntry[], position: LogPosition): void {
      const { numbers, hasEnded } = holds.takeTeam(found, position, clock.now())
      if (hasEnded) mark(contactStore.replaceMarks('held', sources.held))
      else if (numbers.length > 0) mark(contactStore.setMarks({ mark: 'held', add: numbers, remove: [] }))
      if (hasEnded || numbers.length > 0) holdsChanged()
    },
    /** Keeps a number that a colleague erased on hold, as a hash. */
    holdErased(digits: number): void {
      holds.addHash(digits, clock.now())
      mark(contactStore.setMarks({ mark: 'held', add: [digits, ...otherSpellings(digits)], remove: [] }))
      holdsChanged()
    },
    shareEarlier: (afterId: number, limit: number): number | null =>
      holds.shareEarlier(afterId, limit, clock.now()),
    onChange: pulse.subscribe,
    toHandOff: holds.toHandOff,
    handedOff: (ids: readonly number[]): void => holds.handedOff(ids, clock.now()),
    optOutKeywords: () => ({ words }),
    setOptOutKeywords(next: Input<'setOptOutKeywords'>) {
      words = [...new Set(next.words)]
      optOutSign = createOptOutReader(words)
      save({ optOutKeywords: words })
      return { words }
    },
    /** Whether an inbound text is an opt-out keyword, or may be an opt-out; null for neither. */
    optOutSign: (text: string): OptOutSign | null => optOutSign(text),
    /** The `seq` of the last opt-out taken. */
    optOutsTakenTo: holds.optOutsTakenTo,
    /** Puts the senders of later opt-outs on hold, in event order. Returns how many new holds of keywords are and aren't applied. */
    takeOptOuts(optOuts: readonly OptOut[]): { count: number; notApplied: number } {
      const { count, notApplied, numbers } = holds.takeOptOuts(optOuts, clock.now())
      if (numbers.length > 0) mark(contactStore.setMarks({ mark: 'held', add: numbers, remove: [] }))
      holdsChanged()
      return { count, notApplied }
    },
    /** Reads entries and holds again after the connection's country changed, then marks contacts. */
    async readAgain(signal: AbortSignal): Promise<void> {
      for (const read of [repository.readAgain, holds.readAgain])
        for (let id: number | null = 0; id !== null && !signal.aborted; await nextTurn())
          id = read(id, entriesPerTurn)
      holdsChanged()
      if (signal.aborted) return
      for (const name of ['dnc', 'held'] as const) await contactStore.replaceMarks(name, sources[name])
    },
    changed: () => pulse.fire(),
    /** Where the contacts thread reads the numbers to mark. */
    sources,
  }
}
