import { describe, expect, it } from 'vitest'
import type { OfflineVerdict } from '#contract/dnc.ts'
import {
  ageOptions,
  cacheLook,
  offlineLook,
  onlineLook,
  pastedNumbers,
  readStopWords,
} from '../../../../../renderer/src/features/dnc/dnc-words.ts'
import { createNumberCheck } from '../../../../../renderer/src/features/dnc/number-check.ts'
import { DisconnectedError } from '../../../../../renderer/src/rpc/error-view.ts'
import type { Client } from '../../../../../renderer/src/rpc/rpc.ts'

const verdictOf = (input: string): OfflineVerdict => ({
  input,
  phone: input,
  verdict: 'clear',
  reason: null,
  since: null,
  source: 'none',
  asOf: null,
})

describe('the check of one number', () => {
  it('takes the service’s answer about the former number away with the next question', async () => {
    const online = Promise.withResolvers<unknown>()
    const client = {
      dnc: {
        checkOffline: async ({ phones }: { phones: string[] }) => ({ verdicts: phones.map(verdictOf) }),
        checkOnline: () => online.promise,
      },
    } as unknown as Client
    const check = createNumberCheck(client)
    const first = check.ask('+491', 'DE')
    await expect.poll(() => check.online.value.kind).toBe('asking')
    check.reset()
    online.resolve({ phone: '+491', verdict: 'blocked' })
    await first
    expect(check.online.value).toEqual({ kind: 'idle' })
  })

  it('ends what is being asked when it is cancelled, left, or another number is asked about', async () => {
    const signals: AbortSignal[] = []
    const client = {
      dnc: {
        checkOffline: async ({ phones }: { phones: string[] }) => ({ verdicts: phones.map(verdictOf) }),
        checkOnline: (_input: unknown, { signal }: { signal: AbortSignal }) => {
          signals.push(signal)
          return new Promise((_resolve, reject) =>
            signal.addEventListener('abort', () => reject(signal.reason as Error)),
          )
        },
      },
    } as unknown as Client
    const check = createNumberCheck(client)
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

  it('never asks the service about a number that was left while this computer still looked', async () => {
    const here = Promise.withResolvers<unknown>()
    const askedOnline: string[] = []
    const client = {
      dnc: {
        checkOffline: ({ phones }: { phones: string[] }) =>
          phones[0] === '+491' ? here.promise : Promise.resolve({ verdicts: phones.map(verdictOf) }),
        checkOnline: async ({ phone }: { phone: string }) => {
          askedOnline.push(phone)
          return { phone, verdict: 'clear' }
        },
      },
    } as unknown as Client
    const check = createNumberCheck(client)
    const first = check.ask('+491', 'DE')
    await check.ask('+492', 'DE')
    here.resolve({ verdicts: [verdictOf('+491')] })
    await first
    expect(askedOnline).toEqual(['+492'])
    expect(check.offline.value).toMatchObject({ answer: { phone: '+492' } })
    expect(check.online.value).toMatchObject({ answer: { phone: '+492' } })
  })

  it('answers here although the service cannot be asked', async () => {
    const client = {
      dnc: {
        checkOffline: async () => ({ verdicts: [verdictOf('+491')] }),
        checkOnline: () => Promise.reject(new DisconnectedError('gone')),
      },
    } as unknown as Client
    const check = createNumberCheck(client)
    await check.ask('+491', 'DE')
    expect(check.offline.value.kind).toBe('answered')
    expect(check.online.value).toMatchObject({ kind: 'failed', error: { code: 'DISCONNECTED' } })
  })
})

describe('what is drawn', () => {
  it('calls nothing clear but what is', () => {
    expect(onlineLook('not-proven').label).toBe('Not proven')
    expect(offlineLook('not-known').label).toBe('Not known')
    for (const verdict of ['not-known', 'blocked', 'unparsable'] as const) {
      expect(offlineLook(verdict).tone).not.toBe('ok')
    }
  })

  it('says of a copy that is not fresh that nothing is called clear', () => {
    for (const state of ['never', 'stale', 'partial'] as const) {
      const { tone, meaning } = cacheLook({ state, maxAgeMs: 86_400_000, sync: null })
      expect(tone).not.toBe('ok')
      expect(meaning).toContain('no number is called clear')
    }
  })

  it('does not call a copy up to date whose sync failed last', () => {
    const copy = { state: 'fresh' as const, maxAgeMs: 86_400_000, sync: null }
    expect(cacheLook(copy).label).toBe('Up to date')
    const failed = { taskId: null, state: 'failed' as const, pagesDone: 0, pagesTotal: null, problem: null }
    const { tone, label } = cacheLook({ ...copy, sync: failed })
    expect([tone, label]).toEqual(['warn', 'Last sync failed'])
  })

  it('offers the age in use even when it is an unusual one', () => {
    expect(ageOptions(90_000)[0]).toEqual({ label: '1 min 30 s', value: 90_000 })
    expect(ageOptions(86_400_000).filter(({ value }) => value === 86_400_000)).toHaveLength(1)
  })
})

it('reads pasted numbers line by line, whatever ends the lines', () => {
  expect(pastedNumbers('+491\r\n\r\n 0171 2 \n+492\r')).toEqual(['+491', '0171 2', '+492'])
})

it('reads stop words each once, whatever their case', () => {
  expect(readStopWords('STOP\nstop, End,\n\n ende ')).toEqual(['STOP', 'End', 'ende'])
})
