import { describe, expect, test } from 'vitest'
import {
  fingerprintText,
  isSameFingerprint,
  verdictLook,
} from '../../../../../renderer/src/features/events/signed-export-words.ts'
import { presetsOf, spanProblem } from '../../../../../renderer/src/features/events/span-presets.ts'

const nowMs = Date.parse('2026-11-20T15:30:00.250Z')

describe('time ranges', () => {
  test('have whole seconds and are valid', () => {
    const [quarter] = presetsOf(nowMs)
    expect(quarter!.span).toEqual({ from: '2026-11-20T15:15:00.000Z', to: '2026-11-20T15:30:01.000Z' })
    for (const { span } of presetsOf(nowMs)) expect(spanProblem(span, nowMs)).toBeNull()
  })

  test('use local time for last night and yesterday, and end by now', () => {
    const preset = (now: Date, wanted: string) =>
      presetsOf(now.getTime()).find(({ label }) => label === wanted)!.span
    const at = (day: number, hour: number) => new Date(2026, 10, day, hour).toISOString()
    expect(preset(new Date(2026, 10, 20, 15), 'Last night')).toEqual({ from: at(19, 20), to: at(20, 8) })
    expect(preset(new Date(2026, 10, 20, 3), 'Last night')).toEqual({ from: at(19, 20), to: at(20, 3) })
    expect(preset(new Date(2026, 10, 20, 15), 'Yesterday')).toEqual({ from: at(19, 0), to: at(20, 0) })
  })

  test('say why they are invalid', () => {
    const from = '2026-11-20T10:00:00Z'
    expect(spanProblem({ from, to: undefined }, nowMs)).toBe('Enter both times.')
    expect(spanProblem({ from, to: from }, nowMs)).toBe('The end must be after the start.')
    expect(spanProblem({ from: '2026-11-21T10:00:00Z', to: '2026-11-22T10:00:00Z' }, nowMs)).toBe(
      'This range is in the future.',
    )
  })
})

describe('a fingerprint', () => {
  const print = '0123456789abcdef'.repeat(4)
  test('matches in any notation', () => {
    expect(fingerprintText(print)).toMatch(/^0123 4567 89ab cdef 0123 /)
    for (const typed of [
      print,
      fingerprintText(print),
      print.toUpperCase(),
      `SHA256:${print}`,
      print.replaceAll(/(..)(?=.)/g, '$1:'),
    ])
      expect(isSameFingerprint(typed, print)).toBe(true)
    expect(isSameFingerprint('  ', print)).toBeNull()
    for (const typed of ['0123', print.slice(1), `${print}0`, print.replace('f', 'e')])
      expect(isSameFingerprint(typed, print)).toBe(false)
  })
})

test('shows only a valid file as good', () => {
  const head = {
    connection: '',
    service: '',
    from: '',
    to: '',
    madeAt: '',
    console: '',
    events: 1,
    arrived: 1,
    gaps: 0,
  }
  const valid = { kind: 'valid', fingerprint: '', head } as const
  expect(verdictLook({ ...valid, signedBy: 'this-console' })).toMatchObject({
    tone: 'ok',
    text: expect.stringContaining('1 event, unchanged') as string,
  })
  expect(verdictLook({ ...valid, signedBy: 'another-key' }).tone).toBe('warn')
  expect(verdictLook({ kind: 'changed' }).tone).toBe('bad')
  expect(verdictLook({ kind: 'newer-version' }).tone).toBe('warn')
  expect(verdictLook({ kind: 'not-an-export' }).tone).toBe('warn')
})
