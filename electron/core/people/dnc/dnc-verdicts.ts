import type { ContactDetail } from '../../../contract/people/contacts.ts'
import type { InputOf, OutputOf } from '../../../contract/define.ts'
import type { DncCache, OfflineVerdict, dncContract } from '../../../contract/people/dnc.ts'
import { AppError } from '../../../contract/errors.ts'
import type { Phrase, Said } from '../../../contract/phrases.ts'
import { type Hit, hitReason } from '../../../jobs/table/blocked-numbers.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import { isLandline } from '../../../lib/phone/other-spellings.ts'
import { parsePhone, type PhoneReason } from '../../../lib/phone/parse-phone.ts'
import { numbersMeantBy } from '../../../lib/phone/possible-numbers.ts'
import { isCallable } from '../../../lib/phone/read-digits.ts'
import { whyNotFresh } from './dnc-list.ts'
import type { DncRepository } from './dnc.repository.ts'
import type { HoldsRepository } from './holds.repository.ts'
import type { ServiceParts } from '../../service/parts.ts'

type Input<Name extends keyof typeof dncContract> = InputOf<typeof dncContract, Name>
type Output<Name extends keyof typeof dncContract> = OutputOf<typeof dncContract, Name>

/** What the DNC list and the local holds say about a number, for a contact's details. */
export interface NumberFacts {
  dncEntry: ContactDetail['dncEntry']
  hold: ContactDetail['hold']
}

/** What is known against one of the numbers that a text or contact may mean. */
interface Finding extends Hit {
  /** DNC reason, or hold evidence. */
  reason: string | null
  since: string | null
  author: string | null
}

export function createDncVerdicts(
  parts: Pick<ServiceParts, 'client' | 'clock'> & {
    repository: DncRepository
    holds: HoldsRepository
    otherReadings: (digits: number) => readonly number[]
    cache: () => DncCache
    /** Whether colleagues' holds are known. */
    isTeamRead: () => boolean
  },
) {
  const { repository, holds, client, cache, clock } = parts

  function onList(numbers: readonly number[], isSure: boolean): Finding | null {
    const read = isSure ? repository.find : repository.suspect
    for (const digits of numbers) {
      const entry = read(digits)
      if (entry)
        return {
          digits,
          by: 'dnc',
          isSure,
          reason: entry.reason,
          since: isoTime(entry.createdMs),
          author: null,
        }
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
      if (hold)
        return { digits, by: 'hold', isSure, reason: hold.evidence, since: hold.since, author: hold.author }
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
  function numbersIn(
    input: string,
    region: string | null,
  ): { numbers: number[]; refused: PhoneReason | null } {
    const parsed = parsePhone(input, { region })
    const meant = numbersMeantBy(input, parsed, region)
    if (!parsed.ok) return { numbers: meant, refused: parsed.reason }
    return { numbers: [...new Set(numbersOf(parsed.digits, meant))], refused: null }
  }

  function verdictOf(
    input: string,
    region: string | null,
    copy: Pick<DncCache, 'state' | 'asOf'> = cache(),
  ): OfflineVerdict {
    const { numbers, refused } = numbersIn(input, region)
    const found = find(numbers)
    const read = refused ? 0 : numbers[0]!
    const base = {
      input,
      since: null,
      source: 'none' as const,
      author: null,
      asOf: copy.asOf,
      ...(isLandline(String(read)) && { isLandline: true as const }),
    }
    if (found?.isSure) {
      const { digits, by, since, author } = found
      const reason = hitReason(found, read, input) ?? found.reason ?? { key: 'dnc.noReason' as const }
      return { ...base, phone: `+${read || digits}`, verdict: 'blocked', reason, since, source: by, author }
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

  return {
    numbersOf,
    checkOffline({ phones, region }: Input<'checkOffline'>): Output<'checkOffline'> {
      const copy = cache()
      return { verdicts: phones.map((phone) => verdictOf(phone, region, copy)), cache: copy }
    },
    /** Sends no further requests once `signal` is aborted. */
    async checkOnline(
      { phone: typed, region }: Input<'checkOnline'>,
      signal: AbortSignal,
    ): Promise<Output<'checkOnline'>> {
      const { phone, reason } = verdictOf(typed, region)
      if (phone === null) throw new AppError('NUMBER_INVALID', { phone: typed, reason: reason! })
      const digits = Number(phone.slice(1))
      const { numbers } = numbersIn(typed, region)
      // Not about numbers that no country has.
      const asked = [digits, ...numbers.filter((one) => one !== digits && isCallable(one))]
      const options = { lane: 'operator' as const, signal }
      const answers = await Promise.all(asked.map((one) => client.dnc.check({ phone: `+${one}` }, options)))
      const answerWith = (sought: string) => answers.findIndex((answer) => answer.verdict === sought)
      const at = [answerWith('blocked'), answerWith('not-proven'), 0].find((place) => place >= 0)!
      const { verdict: answered, entry } = answers[at]!
      // The service doesn't know the holds of colleagues.
      const isTeamStale = answered === 'clear' && !parts.isTeamRead()
      const verdict = isTeamStale ? 'not-proven' : answered
      const isOther = verdict === 'blocked' && at > 0
      const local = find([verdict === 'blocked' ? asked[at]! : digits])
      const listed = local?.isSure ? local.by : null
      const any = listed || isOther ? null : find(numbers)
      const remarks = [
        isTeamStale ? { key: 'dnc.teamOutdated' as const } : null,
        answered === 'not-proven' ? { key: 'dnc.maybeIgnored' as const } : null,
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
    verdictOf: (input: string, region: string | null): OfflineVerdict => verdictOf(input, region),
  }
}
