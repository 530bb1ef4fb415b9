import type { InputOf, OutputOf } from '../../../contract/define.ts'
import type { Phrase } from '../../../contract/phrases.ts'
import * as z from 'zod'
import type { ContactDetail } from '../../../contract/people/contacts.ts'
import type { DncCache, DncList, Hold, OfflineVerdict, dncContract } from '../../../contract/people/dnc.ts'
import { AppError } from '../../../contract/errors.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Mark } from '../../../jobs/contact-store/store-types.ts'
import type { MarkSource } from '../../../jobs/contact-store/protocol.ts'
import { dncDigitsSql } from '../../../jobs/table/blocked-numbers.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import type { Log } from '../../../lib/log.ts'
import { otherReading, otherReadingReason } from '../../../lib/phone/other-reading.ts'
import { isPhoneRegion, parsePhone } from '../../../lib/phone/parse-phone.ts'
import { writtenDigits } from '../../../lib/phone/written-digits.ts'
import { beats, createPulse } from '../../../lib/pulse.ts'
import type { ContactStore } from '../contact-store/contact-store-client.ts'
import type { ServiceClient } from '../../service/client/create-service-client.ts'
import type { SettingsRepository } from '../../platform/settings/settings.repository.ts'
import type { TasksService } from '../../platform/tasks/tasks.service.ts'
import { createDncSync } from './dnc-sync.ts'
import { whyNotFresh } from './dnc-list.ts'
import type { DncRepository } from './dnc.repository.ts'
import { heldDigitsSql, type HoldsRepository, type OptOut } from './holds.repository.ts'
import { defaultOptOutKeywords } from './opt-out-keywords.ts'

export type { OptOut } from './holds.repository.ts'

type Contract = typeof dncContract
type Input<Name extends keyof Contract> = InputOf<Contract, Name>
type Output<Name extends keyof Contract> = OutputOf<Contract, Name>

const gaps = { minGapMs: 250, maxGapMs: 30_000 }
/** Default age after which the offline copy no longer proves a number clear. */
const defaultMaxAgeMs = 24 * 3_600_000

const settingsSchema = z.object({ maxAgeMs: z.number(), stopWords: z.array(z.string()).nullable() })

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
  contactStore: ContactStore
  tasks: TasksService
  clock: Clock
  log: Log
}) {
  const { repository, holds, settings, client, contactStore, tasks, clock, log } = parts
  const pulse = createPulse()
  const key = `connection/${parts.connectionId}/dnc`
  let saved = settings.get(key, settingsSchema) ?? { maxAgeMs: defaultMaxAgeMs, stopWords: null }
  let words: readonly string[] = saved.stopWords ?? defaultOptOutKeywords
  const save = (change: Partial<typeof saved>) => {
    saved = { ...saved, ...change }
    settings.put(key, saved)
    pulse.fire()
  }
  const sources: Record<Mark, MarkSource> = {
    dnc: { file: parts.cacheFile, sql: dncDigitsSql },
    held: { file: parts.stateFile, sql: heldDigitsSql },
  }
  const runSync = createDncSync({ repository, client, clock })

  /** Marks contacts in the background. Marks that fail are written at the next start or sync. */
  const mark = (work: Promise<unknown>) =>
    void work.catch((error: unknown) => log.warn('Could not mark contacts', { error }))

  async function endHolds(): Promise<void> {
    holds.endListed((digits) => repository.find(digits) !== null, clock.now())
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
      maxAgeMs: saved.maxAgeMs,
      sync: syncView(),
      drift: last && !isFirst ? { added: last.added, removed: last.removed } : null,
    }
  }

  /** The verdict on parsed digits. */
  function judge(input: string, digits: number, copy: Pick<DncCache, 'state' | 'asOf'>): OfflineVerdict {
    const base = { input, phone: `+${digits}`, asOf: copy.asOf }
    const entry = repository.find(digits)
    if (entry)
      return {
        ...base,
        verdict: 'blocked',
        reason: entry.reason ?? { key: 'dnc.noReason' },
        since: isoTime(entry.createdMs),
        source: 'dnc',
      }
    const hold = holds.active(digits)
    if (hold) return { ...base, verdict: 'blocked', reason: hold.evidence, since: hold.since, source: 'hold' }
    const reason = copy.state === 'fresh' ? null : whyNotFresh(copy.state)
    return { ...base, verdict: reason === null ? 'clear' : 'not-known', reason, since: null, source: 'none' }
  }

  /** A verdict only when the number is blocked under its other reading: an international number without its plus. */
  function judgeOther(
    input: string,
    digits: number,
    copy: Pick<DncCache, 'state' | 'asOf'>,
  ): OfflineVerdict | null {
    const other = otherReading(input, digits)
    const verdict = other === 0 ? null : judge(input, other, copy)
    if (verdict?.verdict !== 'blocked' || verdict.source === 'none') return null
    const reason = otherReadingReason(other, verdict.source)
    return { ...verdict, phone: `+${digits || other}`, reason }
  }

  function verdictOf(
    input: string,
    region: string,
    copy: Pick<DncCache, 'state' | 'asOf'> = cache(),
  ): OfflineVerdict {
    const parsed = parsePhone(input, { region })
    // A number that fits no country can still be on the list.
    const digits = parsed.ok ? parsed.digits : writtenDigits(input)
    const asRead = digits === 0 ? null : judge(input, digits, copy)
    if (asRead?.verdict === 'blocked') return asRead
    const other = judgeOther(input, digits, copy)
    if (other) return other
    if (parsed.ok) return asRead!
    return {
      input,
      phone: null,
      verdict: 'unparsable',
      reason: parsed.reason,
      since: null,
      source: 'none',
      asOf: copy.asOf,
    }
  }

  /** A remark when the number's other reading is blocked. */
  function otherRemark(input: string, digits: number): Phrase | null {
    const verdict = judgeOther(input, digits, cache())
    const other = String(otherReading(input, digits))
    return verdict && { key: verdict.source === 'dnc' ? 'dnc.otherOnDnc' : 'dnc.otherOnHold', digits: other }
  }

  function digitsOf(phone: string, region: string): number {
    const parsed = parsePhone(phone, { region: isPhoneRegion(region) ? region : 'US' })
    if (!parsed.ok) throw new AppError('NUMBER_INVALID', { phone, reason: parsed.reason })
    return parsed.digits
  }

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
      const digits = digitsOf(input, region)
      const phone = `+${digits}`
      const { verdict, entry } = await client.dnc.check(
        { phone },
        { lane: 'operator', ...(signal ? { signal } : {}) },
      )
      const local = judge(input, digits, cache())
      const remarks = [
        verdict === 'not-proven' ? { key: 'dnc.maybeIgnored' as const } : null,
        verdict === 'blocked' && local.verdict !== 'blocked' ? { key: 'dnc.notYetOffline' as const } : null,
        verdict === 'clear' && local.source === 'dnc' ? { key: 'dnc.stillOffline' as const } : null,
        local.source === 'hold' ? { key: 'dnc.onHold' as const } : null,
        local.verdict === 'blocked' ? null : otherRemark(input, digits),
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
    holds({ which, limit, cursor }: Input<'holds'>): Output<'holds'> {
      const beforeId = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor) || 0
      const { items, total } = holds.list(which, limit, beforeId)
      return { items, total, nextCursor: items.length < limit ? null : String(items.at(-1)!.id) }
    },
    async hold({ phone, region, evidence }: Input<'hold'>): Promise<Hold> {
      const digits = digitsOf(phone, region)
      const hold = holds.add(`+${digits}`, evidence, clock.now())
      await contactStore.setMarks({ mark: 'held', add: [digits], remove: [] })
      return hold
    },
    async release(id: number): Promise<Hold> {
      const released = holds.release(id, clock.now())
      if (!released) throw new AppError('NOT_FOUND', { what: { key: 'what.hold' } })
      const digits = Number(released.phone.replace(/\D/g, ''))
      if (digits > 0 && !holds.active(digits))
        await contactStore.setMarks({ mark: 'held', add: [], remove: [digits] })
      return released
    },
    toHandOff: holds.toHandOff,
    handedOff: (ids: readonly number[]): void => holds.handedOff(ids, clock.now()),
    optOutKeywords: (): readonly string[] => words,
    setOptOutKeywords(next: string[]): readonly string[] {
      words = [...new Set(next)]
      save({ stopWords: [...words] })
      return words
    },
    /** The `seq` of the last event taken as an opt-out. */
    optOutsTakenTo: holds.optOutsTakenTo,
    /** Puts the senders of later opt-outs on hold, in event order. Returns how many holds are new. */
    takeOptOuts(optOuts: readonly OptOut[]): number {
      const held = holds.takeOptOuts(optOuts)
      if (held.length > 0) mark(contactStore.setMarks({ mark: 'held', add: held, remove: [] }))
      return held.length
    },
    /** Why a number must not be contacted; null when nothing is known against it. */
    blockedBecause(digits: number): AppError | null {
      const phone = `+${digits}`
      const entry = repository.find(digits)
      if (entry) return new AppError('ON_DNC', { phone, reason: entry.reason ?? { key: 'dnc.noReason' } })
      const hold = holds.active(digits)
      return (
        hold &&
        new AppError('ON_DNC', { phone, reason: { key: 'dnc.held', evidence: hold.evidence.slice(0, 100) } })
      )
    },
    factsOf(digits: number): NumberFacts {
      const entry = repository.find(digits)
      const hold = holds.active(digits)
      return {
        dncEntry: entry && {
          reason: entry.reason,
          since: isoTime(entry.createdMs),
          asOf: cache().asOf ?? isoTime(entry.firstSeenMs),
        },
        hold: hold && { reason: hold.evidence, since: hold.since },
      }
    },
    verdictOf: (input: string, region: string): OfflineVerdict => verdictOf(input, region),
    /** Where the contacts thread reads the numbers to mark. */
    sources,
  }
}
