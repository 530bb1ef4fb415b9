import type { ErrorView } from '#contract/define.ts'

/** What a notice above or below every page says, and what can be done about it. */
export interface ShellNotice {
  key: string
  error: ErrorView
  /** `link`: the way to the console, the sign-in or the service is lost, without which the page shows and does little. */
  severity: 'link' | 'error' | 'warning' | 'info'
  act: 'put-away' | 'sign-in' | 'dismiss' | null
}

/** Notices and notes that are shown while the others are folded; in a narrow window their words take more lines. */
export const shownAtMost = { wide: 3, narrow: 2 } as const

const rank = { link: 0, error: 1, warning: 2, info: 3 } as const

/** What is shown of notices and notes, from above. */
interface ShownNotices {
  /** Lost links and errors. */
  grave: ShellNotice[]
  /** So many notes, the newest. */
  notes: number
  /** Warnings, and notices that only inform. */
  lesser: ShellNotice[]
  /** How many are folded away, or would be. */
  folded: number
}

/**
 * The most serious first, notes before warnings; those of one weight as they came. While not `isOpen`, at most `most` of them: but lost
 * links, and one thing beside them, are always among them.
 */
export function showNotices(
  notices: readonly ShellNotice[],
  noteCount: number,
  { most, isOpen }: { most: number; isOpen: boolean },
): ShownNotices {
  const sorted = notices.toSorted((a, b) => rank[a.severity] - rank[b.severity])
  const atMost = Math.max(most, sorted.filter(({ severity }) => severity === 'link').length + 1)
  const room = isOpen ? Infinity : atMost
  const grave = sorted.filter(({ severity }) => rank[severity] <= rank.error).slice(0, room)
  const notes = Math.min(noteCount, room - grave.length)
  const lesser = sorted
    .filter(({ severity }) => rank[severity] > rank.error)
    .slice(0, room - grave.length - notes)
  return { grave, notes, lesser, folded: Math.max(0, notices.length + noteCount - atMost) }
}
