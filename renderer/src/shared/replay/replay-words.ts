import type { Replay, ReplaySpeed } from '#contract/replay.ts'
import { formatTime } from '../format/time.ts'
import { visibleText } from '../text/visible-controls.ts'

const speedWords: Record<string, string> = { max: 'as fast as it goes' }

/** `5x`, or in words where nothing is waited for. */
export const speedText = (speed: ReplaySpeed): string => speedWords[speed] ?? `${speed}x`

/** A span in local time, the day once where it is the same: `20 Nov 14:00:00–15:00:00`. */
export function spanText({ from, to }: { from: string; to: string }): string {
  const isSameDay = new Date(from).toDateString() === new Date(to).toDateString()
  return `${formatTime(from, 'day')}–${formatTime(to, isSameDay ? 'clock' : 'day')}`
}

/** What stands above every page while a replay runs: of what, how fast, where it is. */
export function replayText(replay: Replay): { what: string; state: string } {
  const speed = replay.speed === 'max' ? speedText('max') : `at ${speedText(replay.speed)}`
  const now = formatTime(replay.clock, 'day')
  const state = replay.atEnd ? `at its end, ${now}` : `${replay.playing ? 'now' : 'paused at'} ${now}`
  return { what: `REPLAY of ${spanText(replay)}${fileText(replay.recording)}`, state: `${speed}, ${state}` }
}

const namedMost = 60
const signers = {
  'this-console': 'signed by this console',
  'earlier-key': 'signed by this console',
  'another-key': 'signed by another key',
} as const

/** Whose events are replayed, where they are not those that this console stored. */
function fileText(recording: Replay['recording']): string {
  if (recording === null) return ''
  const { connection, signedBy, fingerprint } = recording
  const key = signedBy === 'another-key' ? ` (${fingerprintText(fingerprint.slice(0, 8))}…)` : ''
  return ` from a file of “${visibleText(connection.slice(0, namedMost))}”, ${signers[signedBy]}${key}`
}

/** A fingerprint in groups of four, as people compare it. */
export const fingerprintText = (fingerprint: string): string => fingerprint.replaceAll(/(.{4})(?=.)/g, '$1 ')
