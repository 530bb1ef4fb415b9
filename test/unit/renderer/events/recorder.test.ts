import { describe, expect, test } from 'vitest'
import type { Hole } from '#contract/events.ts'
import type { Replay } from '#contract/replay.ts'
import { isSameFingerprint, verdictLook } from '../../../../renderer/src/features/events/recording-words.ts'
import { barsOf, holeShares, profileBucketMs } from '../../../../renderer/src/features/events/replay-line.ts'
import { gapPresets, presetsOf, spanProblem } from '../../../../renderer/src/features/events/span-presets.ts'
import { fingerprintText, replayText } from '../../../../renderer/src/shared/replay/replay-words.ts'

const nowMs = Date.parse('2026-11-20T15:30:00.250Z')
const hole = (from: string, to: string | null): Hole => ({
  from,
  to,
  durationMs: 60_000,
  proven: true,
  reason: 'closed',
})

describe('spans to choose', () => {
  test('hold whole seconds, and the one around the event in use comes first', () => {
    const [first, quarter] = presetsOf(nowMs, '2026-11-20T12:00:00.400Z')
    expect(first!.span).toEqual({ from: '2026-11-20T11:55:00.000Z', to: '2026-11-20T12:05:01.000Z' })
    expect(quarter!.span).toEqual({ from: '2026-11-20T15:15:00.000Z', to: '2026-11-20T15:30:01.000Z' })
    for (const { span } of presetsOf(nowMs, null)) expect(spanProblem(span, nowMs)).toBeNull()
  })

  test('use local time for last night and yesterday, and end by now', () => {
    const preset = (now: Date, wanted: string) =>
      presetsOf(now.getTime(), null).find(({ label }) => label === wanted)!.span
    const at = (day: number, hour: number) => new Date(2026, 10, day, hour).toISOString()
    expect(preset(new Date(2026, 10, 20, 15), 'Last night')).toEqual({ from: at(19, 20), to: at(20, 8) })
    expect(preset(new Date(2026, 10, 20, 3), 'Last night')).toEqual({ from: at(19, 20), to: at(20, 3) })
    expect(preset(new Date(2026, 10, 20, 15), 'Yesterday')).toEqual({ from: at(19, 0), to: at(20, 0) })
  })

  test('around a gap begin before it and end after it, but not ahead of now', () => {
    const holes = [
      hole('2026-11-20T15:28:00.000Z', null),
      hole('2026-11-20T10:00:00.500Z', '2026-11-20T10:01:00.500Z'),
    ]
    expect(gapPresets(holes, nowMs).map(({ span }) => span)).toEqual([
      { from: '2026-11-20T15:23:00.000Z', to: '2026-11-20T15:30:01.000Z' },
      { from: '2026-11-20T09:55:00.000Z', to: '2026-11-20T10:06:01.000Z' },
    ])
  })

  test('that cannot be used say why', () => {
    const from = '2026-11-20T10:00:00Z'
    expect(spanProblem({ from, to: undefined }, nowMs)).toBe('Both ends are needed')
    expect(spanProblem({ from, to: from }, nowMs)).toBe('The end must be after the beginning')
    expect(spanProblem({ from: '2026-11-21T10:00:00Z', to: '2026-11-22T10:00:00Z' }, nowMs)).toBe(
      'This lies ahead',
    )
  })
})

describe('the time line', () => {
  test('has whole seconds per bar and cuts a bucket that reaches beyond the span', () => {
    expect(profileBucketMs(0, 1_000)).toBe(1_000)
    expect(profileBucketMs(0, 3_600_000)).toBe(18_000)
    const bars = barsOf([4, 0, 2], 0, 1_000, 500, 2_500)
    expect(bars).toEqual([
      { x: 0, width: 250, height: 20 },
      { x: 750, width: 250, height: 10 },
    ])
  })

  test('shows the part of a gap that lies in the span', () => {
    const at = (second: number) => new Date(second * 1_000).toISOString()
    expect(
      holeShares([hole(at(5), at(20)), hole(at(90), null), hole(at(101), at(102))], 10_000, 100_000),
    ).toMatchObject([
      { start: 0, length: 10 / 90 },
      { start: 80 / 90, length: 10 / 90 },
    ])
  })
})

test('the banner says of what, how fast and where the replay is', () => {
  const replay: Replay = {
    id: 'r',
    from: '2026-11-20T14:00:00.000Z',
    to: '2026-11-20T15:00:00.000Z',
    clock: '2026-11-20T14:12:07.000Z',
    speed: 5,
    playing: true,
    atEnd: false,
    skipQuiet: false,
    shown: 0,
    total: 1,
    gone: 0,
    jump: 0,
    recording: null,
  }
  expect(replayText(replay).what).toMatch(/^REPLAY of 20 Nov, \d\d:00:00–\d\d:00:00$/)
  expect(replayText(replay).state).toMatch(/^at 5x, now 20 Nov, \d\d:12:07$/)
  const recording = {
    connection: 'Night\u202E',
    fingerprint: '0123456789abcdef'.repeat(4),
    signedBy: 'another-key',
  } as const
  expect(replayText({ ...replay, recording }).what).toMatch(
    /^REPLAY of 20 Nov, .* from a file of “Night[^\u202E]*”, signed by another key \(0123 4567…\)$/,
  )
  expect(replayText({ ...replay, recording: { ...recording, signedBy: 'earlier-key' } }).what).toMatch(
    /”, signed by this console$/,
  )
  expect(replayText({ ...replay, playing: false }).state).toMatch(/^at 5x, paused at /)
  expect(replayText({ ...replay, speed: 'max', atEnd: true }).state).toMatch(
    /^as fast as it goes, at its end, /,
  )
})

describe('a fingerprint', () => {
  const print = '0123456789abcdef'.repeat(4)
  test('is compared however it was written down', () => {
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

test('only a whole file looks good', () => {
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
  const whole = { kind: 'whole', fingerprint: '', head } as const
  expect(verdictLook({ ...whole, signedBy: 'this-console' })).toMatchObject({
    tone: 'ok',
    text: expect.stringContaining('1 event;') as string,
  })
  expect(verdictLook({ ...whole, signedBy: 'another-key' }).tone).toBe('warn')
  expect(verdictLook({ kind: 'changed', line: 2, why: '' }).tone).toBe('bad')
  expect(verdictLook({ kind: 'cut-off', lines: 2 }).tone).toBe('bad')
  expect(verdictLook({ kind: 'not-a-recording', why: '' }).tone).toBe('warn')
})
