import type { Task, TaskKind } from '#contract/tasks.ts'
import { undoneText } from '../deletions/deletion-words.ts'
import { formatBytes, formatCount } from '../format/numbers.ts'
import { type StatusLook, statusLook } from '../format/status.ts'
import { formatDuration } from '../format/time.ts'

/** What a kind of task does, as its title. */
export const taskTitles: Record<TaskKind, string> = {
  import: 'Import',
  'import-undo': 'Undo of an import',
  export: 'Export',
  'bulk-tag': 'Tagging',
  'bulk-delete': 'Deletion',
  'bulk-push': 'Push to the service',
  'ott-prepare': 'Dry run of a send',
  'ott-queue': 'Queueing of a send',
  'ott-results': 'Results of a send',
  'dnc-sync': 'Sync of the do-not-contact list',
  'dnc-check': 'Do-not-contact check',
  'error-code-fill': 'Filling of the error codes',
  'dialect-probe': 'Probe of open names',
  'analytics-days': 'Reading of figures day by day',
  'message-release': 'Release of held messages',
  recovery: 'Reading of open messages',
  recording: 'Signed export',
  erase: 'Erasure',
  backup: 'Backup',
}

/** What becomes of what a task has done when it is cancelled, where that is not plain. */
export const cancelWords: Partial<Record<TaskKind, string>> = {
  import: 'Cancel ends it here: contacts that are stored stay in the book, and Undo takes them out again.',
  'import-undo': 'Cancel ends it here: what is taken back stays so, and Undo goes on with the rest.',
  'bulk-tag': 'Cancel ends it here: contacts that are changed stay so.',
  'bulk-delete': 'Cancel ends it here: contacts that are marked are deleted, unless the deletion is undone.',
  'bulk-push': 'Cancel ends it here: what is queued stays in the outbox, and leaves.',
}

/** What came of the undo of a task's deletion, as a sentence; null where it was not undone. */
export function undoText({
  kind,
  counts,
  endedAt,
}: Pick<Task, 'kind' | 'counts' | 'endedAt'>): string | null {
  const { broughtBack: undone, lost = 0, untouched: unmarked = 0 } = counts
  if (kind !== 'bulk-delete' || undone === undefined || endedAt === null) return null
  return undoneText({ undone, lost, unmarked })
}

/** How a task is drawn. While the console is not heard, one that was not over is as it was last seen. */
export function taskLook(
  task: Pick<Task, 'kind' | 'state' | 'counts' | 'endedAt'>,
  heard: boolean,
): StatusLook {
  const { state, endedAt } = task
  if (undoText(task) !== null) return { tone: 'quiet', icon: 'undo', label: 'Undone' }
  const look = statusLook('task', state)
  if (heard || endedAt !== null) return look
  return { tone: 'quiet', icon: 'offline', label: `Last seen ${look.label.toLowerCase()}` }
}

/** Places of the console where a task's result is seen, by its kind. */
export function taskPlace({ kind, refId }: Pick<Task, 'kind' | 'refId'>): {
  path: string
  query: Record<string, string>
} | null {
  const ref = (name: string): Record<string, string> => (refId === null ? {} : { [name]: refId })
  switch (kind) {
    case 'import':
    case 'import-undo':
      return { path: '/contacts', query: ref('import') }
    case 'bulk-tag':
    case 'erase':
      return { path: '/contacts', query: {} }
    case 'bulk-delete':
    case 'bulk-push':
      return { path: '/outbox', query: ref('batch') }
    case 'ott-prepare':
    case 'ott-queue':
      return { path: '/templates', query: ref('send') }
    case 'dnc-sync':
      return { path: '/dnc', query: {} }
    case 'dnc-check':
      return { path: '/dnc', query: { tab: 'check' } }
    case 'error-code-fill':
      return { path: '/error-codes', query: {} }
    case 'dialect-probe':
      return { path: '/settings', query: { section: 'dialect' } }
    case 'message-release':
      return { path: '/messages', query: ref('run') }
    case 'analytics-days':
      return { path: '/analytics', query: { tab: 'service' } }
    case 'recovery':
      return { path: '/overview', query: {} }
    case 'ott-results':
    case 'export':
    case 'backup':
      return null
    case 'recording':
      return { path: '/events', query: {} }
  }
}

/** `412,000 of 1,000,000 rows`, `61 pages` where the end is not known, sizes in bytes as sizes. */
export function progressText({ done, total, unit }: Task['progress']): string {
  if (unit === 'bytes') {
    return total === null ? formatBytes(done) : `${formatBytes(done)} of ${formatBytes(total)}`
  }
  return total === null
    ? `${formatCount(done)} ${unit}`
    : `${formatCount(done)} of ${formatCount(total)} ${unit}`
}

/** How far a task came that is over: nothing is said of one that failed before its first step. */
export const endText = ({ progress, state }: Pick<Task, 'progress' | 'state'>): string =>
  state === 'failed' && progress.done === 0 ? '' : progressText(progress)

/** `86,400 rows/s`, per minute or hour where that is the readable one; null when it cannot be told. */
export function rateText({
  ratePerSecond,
  progress,
}: Pick<Task, 'ratePerSecond' | 'progress'>): string | null {
  if (ratePerSecond === null || !(ratePerSecond > 0)) return null
  if (progress.unit === 'bytes') return `${formatBytes(ratePerSecond)}/s`
  if (ratePerSecond >= 1) return `${formatCount(ratePerSecond)} ${progress.unit}/s`
  if (ratePerSecond * 60 >= 1) return `${formatCount(ratePerSecond * 60)} ${progress.unit}/min`
  return `${formatCount(ratePerSecond * 3_600)} ${progress.unit}/h`
}

/** `6 s left`; null when it cannot be told. */
export function etaText({ etaMs }: Pick<Task, 'etaMs'>): string | null {
  return etaMs === null ? null : `${formatDuration(Math.max(1_000, etaMs))} left`
}

/** The counts as one line, largest first: `398,210 new, 8,112 update`. Names as the task gives them, dashes as blanks. */
export function countsText(counts: Task['counts']): string {
  return Object.entries(counts)
    .filter(([, count]) => count !== 0)
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => `${formatCount(count)} ${wordsOf(name)}`)
    .join(', ')
}

/** `duplicateInFile` and `duplicate-in-file` as `duplicate in file`. */
function wordsOf(name: string): string {
  return name
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll(/[-_]/g, ' ')
    .toLowerCase()
}

/** How far all these tasks are together, from 0 to 1; null when none says how much there is. */
export function shareOf(tasks: readonly Pick<Task, 'progress'>[]): number | null {
  const known = tasks.filter(({ progress }) => progress.total !== null && progress.total > 0)
  if (known.length === 0) return null
  const shares = known.map(({ progress }) => Math.min(1, progress.done / progress.total!))
  return shares.reduce((sum, share) => sum + share, 0) / known.length
}

/** Kinds of which each does the whole of the same work, whatever its subject says. */
const wholeKinds: readonly TaskKind[] = ['dnc-sync', 'error-code-fill', 'dialect-probe']

/** The failed tasks that somebody must look at: those after which the same work was not done. */
export function failedStill(tasks: readonly Task[]): Task[] {
  const isSame = (a: Task, b: Task) =>
    a.kind === b.kind && (wholeKinds.includes(a.kind) || a.subject === b.subject)
  return tasks.filter(
    (task) =>
      task.state === 'failed' &&
      !tasks.some(
        (other) => other.state === 'done' && other.createdAt > task.createdAt && isSame(other, task),
      ),
  )
}
