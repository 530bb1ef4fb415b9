import type { ErrorView } from '#contract/define.ts'

/** What a notice above or below every page says, and what can be done about it. */
export interface ShellNotice {
  key: string
  error: ErrorView
  severity: 'error' | 'warning' | 'info'
  act: 'put-away' | 'sign-in' | 'dismiss' | null
}

/** Notices and notes that are shown while the others are folded; in a narrow window their words take more lines. */
export const shownAtMost = { wide: 3, narrow: 2 } as const

const rank = { error: 0, warning: 1, info: 2 } as const

/** The most serious first; those of one weight as they came. */
export const bySeverity = (notices: readonly ShellNotice[]): ShellNotice[] =>
  notices.toSorted((a, b) => rank[a.severity] - rank[b.severity])
