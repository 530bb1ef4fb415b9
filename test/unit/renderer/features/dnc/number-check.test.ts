import { describe, expect, it } from 'vitest'
import type { DncCache } from '#contract/people/dnc.ts'
import {
  ageOptions,
  cacheMeaning,
  holdLook,
  verdictLook,
  filledLines,
  readKeywords,
} from '../../../../../renderer/src/features/dnc/dnc-words.ts'
import { createNumberCheck } from '../../../../../renderer/src/features/dnc/number-check.ts'
import { DisconnectedError } from '../../../../../renderer/src/rpc/error-view.ts'
import type { Client } from '../../../../../renderer/src/rpc/rpc.ts'
import { listLook } from '../../../../../renderer/src/shared/format/dnc-list.ts'
import type { StatusLook } from '../../../../../renderer/src/shared/format/status.ts'
import { clearVerdict, ordinaryDncCache } from '../../../../helpers/scripted/dnc.ts'

type Offline = (input: { phones: string[] }) => Promise<unknown>
const allClear: Offline = async ({ phones }) => ({ verdicts: phones.map((phone) => clearVerdict(phone)) })

/** A check whose numbers the service answers with `checkOnline`. */
const aCheck = (checkOnline: (...asked: never[]) => Promise<unknown>, checkOffline = allClear) =>
  createNumberCheck({ dnc: { checkOffline, checkOnline } } as unknown as Client)

describe('the check of one number', () => {
  it('drops the service’s answer about a previous number', async () => {
    const online = Promise.withResolvers<unknown>()
    const check = aCheck(() => online.promise)
    const first = check.ask('+491', 'DE')
    await expect.poll(() => check.online.value.kind).toBe('asking')
    check.reset()
    online.resolve({ phone: '+491', verdict: 'blocked' })
    await first
    expect(check.online.value).toEqual({ kind: 'idle' })
  })

  it('cancels the request on cancel, leave or another number', async () => {
    const signals: AbortSignal[] = []
    const check = aCheck((_input: unknown, { signal }: { signal: AbortSignal }) => {
      signals.push(signal)
      return new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      )
    })
    const asked = [check.ask('+491', 'DE')]
    await expect.poll(() => signals.length).toBe(1)
    check.cancel()
    expect(signals[0]!.aborted).toBe(true)
    expect(check.online.value).toEqual({ kind: 'cancelled' })
    expect(check.offline.value.kind).toBe('answered')
    asked.push(check.ask('+491', 'DE'))
    await expect.poll(() => signals.length).toBe(2)
    asked.push(check.ask('+492', 'DE'))
    await expect.poll(() => signals.length).toBe(3)
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, false])
    check.reset()
    await Promise.all(asked)
    expect(signals[2]!.aborted).toBe(true)
    expect(check.online.value).toEqual({ kind: 'idle' })
  })

  it('never asks the service about a number that was replaced', async () => {
    const here = Promise.withResolvers<unknown>()
    const askedOnline: string[] = []
    const check = aCheck(
      async ({ phone }: { phone: string }) => {
        askedOnline.push(phone)
        return { phone, verdict: 'clear' }
      },
      (input) => (input.phones[0] === '+491' ? here.promise : allClear(input)),
    )
    const first = check.ask('+491', 'DE')
    await check.ask('+492', 'DE')
    here.resolve({ verdicts: [clearVerdict('+491')] })
    await first
    expect(askedOnline).toEqual(['+492'])
    expect(check.offline.value).toMatchObject({ answer: { phone: '+492' } })
    expect(check.online.value).toMatchObject({ answer: { phone: '+492' } })
  })

  it('never asks the service about an invalid number', async () => {
    const asked: unknown[] = []
    const unparsable = { ...clearVerdict('12'), phone: null, verdict: 'unparsable' }
    const check = aCheck(
      async (input: unknown) => void asked.push(input),
      async () => ({ verdicts: [unparsable] }),
    )
    await check.ask('12', 'DE')
    expect(asked).toEqual([])
  })

  it('answers offline when the service can’t be reached', async () => {
    const check = aCheck(() => Promise.reject(new DisconnectedError('gone')))
    await check.ask('+491', 'DE')
    expect(check.offline.value.kind).toBe('answered')
    expect(check.online.value).toMatchObject({ kind: 'failed', error: { code: 'DISCONNECTED' } })
  })
})

describe('labels', () => {
  it('calls only clear numbers clear', () => {
    expect(verdictLook('not-proven').label).toBe('Unverified')
    expect(verdictLook('not-known').label).toBe('Unknown')
    for (const verdict of ['not-known', 'maybe-listed', 'blocked', 'unparsable'] as const) {
      expect(verdictLook(verdict).tone).not.toBe('ok')
    }
  })

  const failedSync = { taskId: null, state: 'failed' as const, pagesDone: 0, pagesTotal: null, problem: null }
  it.each<[Partial<DncCache>, StatusLook['tone'], label: string, meaning: string]>([
    [{}, 'ok', 'Up to date', 'Numbers not on the list count as clear.'],
    [{ state: 'never' }, 'warn', 'Never synced', 'No number can be cleared for sending'],
    [{ state: 'other-key' }, 'warn', 'Other API key', 'read with another API key'],
    [{ state: 'stale' }, 'warn', 'Outdated', 'No number can be cleared for sending'],
    [{ state: 'partial' }, 'warn', 'Incomplete', 'No number can be cleared for sending'],
    [{ sync: failedSync }, 'warn', 'Sync failed', 'The previous copy is used until it is 1 d old.'],
    [{ unreadable: 1 }, 'warn', 'Up to date', '1 entry can’t be read.'],
    [{ kept: 3 }, 'bad', 'Suddenly shorter', '3 entries are missing from the service’s DNC list'],
    [
      { kept: 9, state: 'stale' },
      'bad',
      'Suddenly empty',
      'is empty now; it had 9 entries. They still block',
    ],
  ])('shows the copy %j as %s: %s', (of, tone, label, meaning) => {
    const cache = { ...ordinaryDncCache(), entries: 9, sync: null, unreadable: 0, kept: 0, ...of }
    expect(listLook(cache)).toMatchObject({ tone, label })
    expect(cacheMeaning(cache)).toContain(meaning)
  })

  it('never calls a hold without a number active', () => {
    const hold = { endedAt: null, endReason: null, verified: true }
    expect(holdLook({ ...hold, number: '+12025550101' }).label).toBe('On hold')
    expect(holdLook({ ...hold, number: '+12025550101', verified: false }).label).toBe('Not verified')
    expect(holdLook({ ...hold, number: null })).toMatchObject({ tone: 'warn', label: 'Can’t be applied' })
  })

  it('offers an unusual age that is in use', () => {
    expect(ageOptions(90_000)[0]).toEqual({ label: '1 min 30 s', value: 90_000 })
    expect(ageOptions(86_400_000).filter(({ value }) => value === 86_400_000)).toHaveLength(1)
  })
})

it('counts pasted numbers with any line ending', () => {
  expect(filledLines('+491\r\n\r\n 0171 2 \n+492\r')).toBe(3)
})

it('reads opt-out keywords once, in any case', () => {
  expect(readKeywords('STOP\nstop, End,\n\n ende ')).toEqual(['STOP', 'End', 'ende'])
})
