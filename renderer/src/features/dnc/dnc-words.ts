import type { DncCache, DncCheckRun, Hold, OfflineVerdict } from '#contract/dnc.ts'
import { formatCount, formatCounted } from '../../shared/format/numbers.ts'
import type { StatusLook } from '../../shared/format/status.ts'
import { formatAge, formatDuration } from '../../shared/format/time.ts'

const look = (tone: StatusLook['tone'], icon: StatusLook['icon'], label: string): StatusLook => ({
  tone,
  icon,
  label,
})

/** How the copy is drawn, and what that means for what it can say. */
export function cacheLook(
  cache: Pick<DncCache, 'state' | 'maxAgeMs' | 'sync'>,
): StatusLook & { meaning: string } {
  switch (cache.state) {
    case 'fresh':
      if (cache.sync?.state === 'failed')
        return {
          ...look('warn', 'warning', 'Last sync failed'),
          meaning: `The copy before it holds until it is older than ${formatDuration(cache.maxAgeMs)}: a number that is not in it is called clear.`,
        }
      return {
        ...look('ok', 'check', 'Up to date'),
        meaning: 'A number that is not in the copy is called clear.',
      }
    case 'stale':
      return {
        ...look('warn', 'clock', 'Too old'),
        meaning: `Older than ${formatDuration(cache.maxAgeMs)}: no number is called clear until it is synced. Blocked numbers stay blocked.`,
      }
    case 'partial':
      return {
        ...look('warn', 'warning', 'Not whole'),
        meaning:
          'A sync did not come to its end: no number is called clear until it does. Blocked numbers stay blocked.',
      }
    case 'never':
      return {
        ...look('bad', 'warning', 'Never synced'),
        meaning:
          'Nothing is known of the list yet: no number is called clear, and nothing is pushed as such.',
      }
  }
}

const verdictLooks: Record<OfflineVerdict['verdict'], StatusLook> = {
  clear: look('ok', 'check', 'Clear'),
  blocked: look('bad', 'ban', 'Blocked'),
  'not-known': look('warn', 'warning', 'Not known'),
  unparsable: look('warn', 'cross', 'Not a number'),
}

export function offlineLook(verdict: OfflineVerdict['verdict']): StatusLook {
  return verdictLooks[verdict]
}

/** The service's answer. One that is not proven is never drawn as clear. */
export function onlineLook(verdict: 'blocked' | 'clear' | 'not-proven'): StatusLook {
  return verdict === 'not-proven' ? look('warn', 'warning', 'Not proven') : verdictLooks[verdict]
}

const runLooks: Record<DncCheckRun['state'], StatusLook> = {
  running: look('info', 'play', 'Running'),
  paused: look('warn', 'pause', 'Paused'),
  interrupted: look('warn', 'warning', 'Interrupted'),
  done: look('ok', 'check', 'Done'),
  failed: look('bad', 'cross', 'Failed'),
  cancelled: look('quiet', 'cross', 'Cancelled'),
}

export const runLook = (state: DncCheckRun['state']): StatusLook => runLooks[state]

/** How a hold stands: active, or why it ended. */
export function holdLook(hold: Pick<Hold, 'endedAt' | 'endReason'>): StatusLook {
  if (hold.endedAt === null) return look('bad', 'hand', 'Held')
  return hold.endReason === 'on-dnc'
    ? look('info', 'ban', 'Now on the list')
    : look('quiet', 'check', 'Released')
}

/** Ages at which the copy counts as too old, on offer. */
export const ageChoices: readonly { label: string; value: number }[] = [
  { label: '1 hour', value: 3_600_000 },
  { label: '6 hours', value: 6 * 3_600_000 },
  { label: '12 hours', value: 12 * 3_600_000 },
  { label: '1 day', value: 86_400_000 },
  { label: '3 days', value: 3 * 86_400_000 },
  { label: '7 days', value: 7 * 86_400_000 },
  { label: '30 days', value: 30 * 86_400_000 },
]

/** The choices with the one in use among them, whatever it is. */
export function ageOptions(inUseMs: number): { label: string; value: number }[] {
  const known = ageChoices.some(({ value }) => value === inUseMs)
  const all = known ? ageChoices : [...ageChoices, { label: formatDuration(inUseMs), value: inUseMs }]
  return [...all].sort((a, b) => a.value - b.value)
}

/** `61 of 124 pages`, or `61 pages` where the end is not known. */
export function syncText({ pagesDone, pagesTotal }: NonNullable<DncCache['sync']>): string {
  return pagesTotal === null
    ? formatCounted(pagesDone, 'page')
    : `${formatCount(pagesDone)} of ${formatCounted(pagesTotal, 'page')}`
}

/** Which copy an offline answer comes from: `from the copy of 2 h ago`. */
export function copyText(asOf: string | null, nowMs: number): string {
  return asOf === null ? 'there is no copy of the list' : `from the copy of ${formatAge(asOf, nowMs)}`
}

/** Pasted text as lines that hold something. */
export function pastedNumbers(text: string): string[] {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

/** Stop words as typed, one a line or parted by commas, each once whatever its case. */
export function readStopWords(text: string): string[] {
  const words = text
    .split(/[\r\n,]+/)
    .map((word) => word.trim())
    .filter((word) => word !== '')
  const seen = new Set<string>()
  return words.filter((word) => {
    const key = word.toLowerCase()
    return seen.has(key) ? false : seen.add(key)
  })
}
