import { setImmediate as nextTurn } from 'node:timers/promises'
import type { InputOf, OutputOf } from '../../../contract/define.ts'
import type { Phrase, Said } from '../../../contract/phrases.ts'
import * as z from 'zod'
import type { ContactDetail } from '../../../contract/people/contacts.ts'
import type { DncCache, DncList, Hold, OfflineVerdict, dncContract } from '../../../contract/people/dnc.ts'
import { AppError } from '../../../contract/errors.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Mark } from '../../../jobs/contact-store/store-types.ts'
import type { MarkSource } from '../../../jobs/contact-store/protocol.ts'
import { type Hit, hitReason } from '../../../jobs/table/blocked-numbers.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import type { Log } from '../../../lib/log.ts'
import { isPhoneRegion, parsePhone, type PhoneReason } from '../../../lib/phone/parse-phone.ts'
import { numbersMeantBy } from '../../../lib/phone/possible-numbers.ts'
import { isCallable } from '../../../lib/phone/read-digits.ts'
import { beats, createPulse } from '../../../lib/pulse.ts'
import type { ContactStore } from '../contact-store/contact-store-client.ts'
import type { ServiceClient } from '../../service/client/create-service-client.ts'
import { settingKey } from '../../platform/settings/connection-settings.ts'
import type { SettingsRepository } from '../../platform/settings/settings.repository.ts'
import type { TasksService } from '../../platform/tasks/tasks.service.ts'
import { createDncSync } from './dnc-sync.ts'
import { whyNotFresh } from './dnc-list.ts'
import type { DncRepository } from './dnc.repository.ts'
import type { HoldsRepository, ImportedHold, OptOut } from './holds.repository.ts'
import { defaultOptOutKeywords } from './opt-out-keywords.ts'
import { createPossibleOptOutTest } from './possible-opt-outs.ts'
import { createRecipientCheck } from './recipient-check.ts'

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

const settingsSchema = z.object({ maxAgeMs: z.number(), optOutKeywords: z.array(z.string()).nullable() })

/** What the DNC list and the local holds say about a number, for a contact's details. */
export interface NumberFacts {
  dncEntry: ContactDetail['dncEntry']
  hold: ContactDetail['hold']
}

export type DncService = ReturnType<typeof createDncService>

/** The offline copy of the DNC list, the local holds, and verdicts on numbers. */
export function createDncService(parts: {
  connectionId: string
  /** Paths of `cache.db` and `state.db`; the contacts thread reads numbers from them. */
  cacheFile: string
  stateFile: string
  repository: DncRepository
  holds: HoldsRepository
  settings: SettingsRepository
  client: ServiceClient
  /** ISO 3166: of numbers in national form, null if unknown. */
  country: () => string | null
  /** A contact's other numbers. */
  otherReadings: (digits: number) => readonly number[]
  contactStore: ContactStore
  tasks: TasksService
  clock: Clock
  log: Log
}) {
  const { repository, holds, settings, client, contactStore, tasks, clock, log } = parts
  const pulse = createPulse()
  const key = settingKey(parts.connectionId, 'dnc')
  let saved = settings.get(key, settingsSchema) ?? { maxAgeMs: defaultMaxAgeMs, optOutKeywords: null }
  let words: readonly string[] = saved.optOutKeywords ?? defaultOptOutKeywords
  let isPossibleOptOut = createPossibleOptOutTest(words)
  const save = (change: Partial<typeof saved>) => {
    saved = { ...saved, ...change }
    settings.put(key, saved)
    pulse.fire()
  }
  const sources: Record<Mark, MarkSource> = {
    dnc: { file: parts.cacheFile, list: 'dnc' },
    held: { file: parts.stateFile, list: 'held' },
  }
  const runSync = createDncSync({ repository, client, clock })

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

  function cache(): DncCache {
    const last = repository.lastComplete()
    const { entries, unreadable } = repository.counts()
    const unreadableHolds = holds.countUnreadable()
    const ageMs = last ? clock.now() - last.startedMs : Infinity
    const isFirst = last !== null && last.added === entries && last.removed === 0 && last.id === 1
    return {
      // A negative age means the clock was set back, so the copy may be outdated.
      state: last
        ? ageMs >= 0 && ageMs <= saved.maxAgeMs
          ? 'fresh'
          : 'stale'
        : entries > 0
          ? 'partial'
          : 'never',
      asOf: last ? isoTime(last.startedMs) : null,
      entries,
      unreadable,
      unreadableHolds: unreadableHolds.all,
      withoutCountry: parts.country() === null ? repository.nationalCount() + unreadableHolds.national : 0,
      maxAgeMs: saved.maxAgeMs,
      sync: syncView(),
      drift: last && !isFirst ? { added: last.added, removed: last.removed } : null,
    }
  }

  /** What is known against one of the numbers that a text or contact may mean. */
  interface Finding extends Hit {
    /** DNC reason, or hold evidence. */
    reason: string | null
    since: string | null
  }

  function onList(numbers: readonly number[], isSure: boolean): Finding | null {
    const read = isSure ? repository.find : repository.suspect
    for (const digits of numbers) {
      const entry = read(digits)
      if (entry) return { digits, by: 'dnc', isSure, reason: entry.reason, since: isoTime(entry.createdMs) }
    }
    return null
  }

  /** The first `own` are a person's own number, the others beside it. */
  function onHold(
    numbers: readonly number[],
    isSure: boolean,
    own: number,
  ): (Finding & { since: string }) | null {
    for (const [at, digits] of numbers.entries()) {
      const hold = isSure ? holds.active(digits, at < own) : holds.suspect(digits)
      if (hold) return { digits, by: 'hold', isSure, reason: hold.evidence, since: hold.since }
    }
    return null
  }

  /** The first reason not to contact: blocked before uncertain, DNC before holds. */
  const find = (numbers: readonly number[], own = numbers.length): Finding | null =>
    onList(numbers, true) ??
    onHold(numbers, true, own) ??
    onList(numbers, false) ??
    onHold(numbers, false, own)

  /** A number, and what else it may mean. */
  const numbersOf = (digits: number, others: readonly number[] = []): number[] => [
    digits,
    ...parts.otherReadings(digits),
    ...others,
  ]

  /** Every number that a typed text may mean, the likeliest first, and those of its contact. */
  function numbersIn(input: string, region: string): { numbers: number[]; refused: PhoneReason | null } {
    const parsed = parsePhone(input, { region })
    const meant = numbersMeantBy(input, parsed, region)
    if (!parsed.ok) return { numbers: meant, refused: parsed.reason }
    return { numbers: [...new Set(numbersOf(parsed.digits, meant))], refused: null }
  }

  function verdictOf(
    input: string,
    region: string,
    copy: Pick<DncCache, 'state' | 'asOf'> = cache(),
  ): OfflineVerdict {
    const { numbers, refused } = numbersIn(input, region)
    const found = find(numbers)
    const read = refused ? 0 : numbers[0]!
    const base = { input, since: null, source: 'none' as const, asOf: copy.asOf }
    if (found?.isSure) {
      const { digits, by, since } = found
      const reason = hitReason(found, read, input) ?? found.reason ?? { key: 'dnc.noReason' as const }
      return { ...base, phone: `+${read || digits}`, verdict: 'blocked', reason, since, source: by }
    }
    if (refused) {
      // Without its country it may still be the number of an entry or sender that can't be read either.
      const digits = Number(input.replace(/\D/g, '').slice(0, 15))
      const maybe = found ?? onList([digits], false) ?? onHold([digits], false, 1)
      return maybe
        ? { ...base, phone: null, verdict: 'not-known', reason: remarkOf(maybe), source: maybe.by }
        : { ...base, phone: null, verdict: 'unparsable', reason: refused }
    }
    const phone = `+${read}`
    if (found)
      return { ...base, phone, verdict: 'not-known', reason: hitReason(found, read), source: found.by }
    const reason = copy.state === 'fresh' ? null : whyNotFresh(copy.state)
    return { ...base, phone, verdict: reason === null ? 'clear' : 'not-known', reason }
  }

  /** A remark on another number that the text may mean, or an unreadable entry that may be the number. */
  function remarkOf({ digits, by, isSure }: Finding): Phrase {
    if (!isSure) return { key: by === 'dnc' ? 'dnc.maybeOnDnc' : 'dnc.maybeOnHold' }
    return { key: by === 'dnc' ? 'dnc.otherOnDnc' : 'dnc.otherOnHold', digits: String(digits) }
  }

  function digitsOf(phone: string, region: string): number {
    const parsed = parsePhone(phone, { region: isPhoneRegion(region) ? region : 'US' })
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
    /** How reliable the offline copy is. */
    listState(): DncList {
      const { state, asOf } = cache()
      return { state, asOf }
    },
    async *watch(signal: AbortSignal): AsyncGenerator<DncCache> {
      for await (const _beat of beats(pulse, clock, gaps, signal)) yield cache()
    },
    sync(): { taskId: string } {
      const taskId = tasks.startOnly('dnc-sync', { key: 'subject.dncList' })
      pulse.fire()
      return { taskId }
    },
    setMaxAge(maxAgeMs: number): DncCache {
      save({ maxAgeMs })
      return cache()
    },
    async list(query: Input<'list'>, signal?: AbortSignal): Promise<Output<'list'>> {
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
    checkOffline(phones: readonly string[], region: string): Output<'checkOffline'> {
      const copy = cache()
      return { verdicts: phones.map((phone) => verdictOf(phone, region, copy)), cache: copy }
    },
    /** Sends no further requests once `signal` is aborted. */
    async checkOnline(input: string, region: string, signal?: AbortSignal): Promise<Output<'checkOnline'>> {
      const { phone, reason } = verdictOf(input, region)
      if (phone === null) throw new AppError('NUMBER_INVALID', { phone: input, reason: reason! })
      const digits = Number(phone.slice(1))
      const { numbers } = numbersIn(input, region)
      // Not about numbers that no country has.
      const asked = [digits, ...numbers.filter((one) => one !== digits && isCallable(one))]
      const options = { lane: 'operator' as const, ...(signal ? { signal } : {}) }
      const answers = await Promise.all(asked.map((one) => client.dnc.check({ phone: `+${one}` }, options)))
      const answerWith = (sought: string) => answers.findIndex((answer) => answer.verdict === sought)
      const at = [answerWith('blocked'), answerWith('not-proven'), 0].find((place) => place >= 0)!
      const { verdict, entry } = answers[at]!
      const isOther = verdict === 'blocked' && at > 0
      const local = find([verdict === 'blocked' ? asked[at]! : digits])
      const listed = local?.isSure ? local.by : null
      const any = listed || isOther ? null : find(numbers)
      const remarks = [
        verdict === 'not-proven' ? { key: 'dnc.maybeIgnored' as const } : null,
        verdict === 'blocked' && !listed ? { key: 'dnc.notYetOffline' as const } : null,
        verdict === 'clear' && listed === 'dnc' ? { key: 'dnc.stillOffline' as const } : null,
        listed === 'hold' ? { key: 'dnc.onHold' as const } : null,
        isOther ? { key: 'dnc.otherOnDnc' as const, digits: String(asked[at]!) } : any && remarkOf(any),
      ].filter((remark) => remark !== null)
      return {
        phone,
        verdict,
        entry: entry && {
          id: entry.id,
          phoneNumber: entry.phoneNumber,
          reason: entry.reason,
          createdAt: entry.createdAt,
        },
        remarks,
        asOf: isoTime(clock.now()),
      }
    },
    /** See `createRecipientCheck`. */
    isProvenClear: (digits: number, others: readonly number[]): Promise<boolean> =>
      isProvenClear(numbersOf(digits, others)),
    holds({ which, limit, cursor }: Input<'holds'>): Output<'holds'> {
      const beforeId = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor) || 0
      const { items, total } = holds.list(which, limit, beforeId)
      return { items, total, nextCursor: items.length < limit ? null : String(items.at(-1)!.id) }
    },
    async hold({ phone, region, evidence }: Input<'hold'>): Promise<Hold> {
      const digits = digitsOf(phone, region)
      const hold = holds.add(digits, evidence, clock.now())
      await contactStore.setMarks({ mark: 'held', add: [digits], remove: [] })
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
      pulse.fire()
      return count
    },
    /** Puts the sender of a possible opt-out on hold, with its message as evidence. */
    holdSender(optOut: OptOut): void {
      const numbers = holds.holdSender(optOut)
      if (numbers.length > 0) mark(contactStore.setMarks({ mark: 'held', add: numbers, remove: [] }))
      pulse.fire()
    },
    async release(id: number): Promise<Hold> {
      const released = holds.release(id, clock.now())
      if (!released) throw new AppError('NOT_FOUND', { what: { key: 'what.hold' } })
      await contactStore.replaceMarks('held', sources.held)
      pulse.fire()
      return released
    },
    toHandOff: holds.toHandOff,
    handedOff: (ids: readonly number[]): void => holds.handedOff(ids, clock.now()),
    optOutKeywords: (): readonly string[] => words,
    setOptOutKeywords(next: string[]): readonly string[] {
      words = [...new Set(next)]
      isPossibleOptOut = createPossibleOptOutTest(words)
      save({ optOutKeywords: [...words] })
      return words
    },
    /** Whether a text may be an opt-out without being a keyword. */
    isPossibleOptOut: (text: string): boolean => isPossibleOptOut(text),
    /** The `seq` of the last opt-out taken. */
    optOutsTakenTo: holds.optOutsTakenTo,
    /** Puts the senders of later opt-outs on hold, in event order. Returns how many holds are new. */
    takeOptOuts(optOuts: readonly OptOut[]): number {
      const { count, numbers } = holds.takeOptOuts(optOuts)
      if (numbers.length > 0) mark(contactStore.setMarks({ mark: 'held', add: numbers, remove: [] }))
      pulse.fire()
      return count
    },
    /** Why a number must not be contacted; null when nothing is known against it. `others`: what else its text may mean. */
    blockedBecause(digits: number, others?: readonly number[]): AppError | null {
      const found = find(numbersOf(digits, others), 1)
      if (!found) return null
      const evidence = found.reason?.slice(0, 100) ?? ''
      const own: Said =
        found.by === 'hold' ? { key: 'dnc.held', evidence } : (found.reason ?? { key: 'dnc.noReason' })
      return new AppError('ON_DNC', { phone: `+${digits}`, reason: hitReason(found, digits) ?? own })
    },
    factsOf(digits: number, others?: readonly number[]): NumberFacts {
      const numbers = numbersOf(digits, others)
      const entry = onList(numbers, true) ?? onList(numbers, false)
      const hold = onHold(numbers, true, 1) ?? onHold(numbers, false, 1)
      return {
        dncEntry: entry && {
          reason: hitReason(entry, digits) ?? entry.reason,
          since: entry.since,
          asOf: cache().asOf ?? isoTime(clock.now()),
          isSure: entry.isSure,
        },
        hold: hold && {
          reason: hitReason(hold, digits) ?? hold.reason ?? '',
          since: hold.since,
          isSure: hold.isSure,
        },
      }
    },
    /** Reads entries and holds again after the connection's country changed, then marks contacts. */
    async readAgain(signal: AbortSignal): Promise<void> {
      for (const read of [repository.readAgain, holds.readAgain])
        for (let id: number | null = 0; id !== null && !signal.aborted; await nextTurn())
          id = read(id, entriesPerTurn)
      pulse.fire()
      if (signal.aborted) return
      for (const name of ['dnc', 'held'] as const) await contactStore.replaceMarks(name, sources[name])
    },
    changed: () => pulse.fire(),
    verdictOf: (input: string, region: string): OfflineVerdict => verdictOf(input, region),
    /** Where the contacts thread reads the numbers to mark. */
    sources,
  }
}
