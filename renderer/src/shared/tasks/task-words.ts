import type { Task, TaskKind } from '#contract/platform/tasks.ts'
import { say } from '../i18n/core-texts.ts'
import { undoneText } from '../deletions/deletion-words.ts'
import { formatBytes, formatCount } from '../format/numbers.ts'
import { type StatusLook, statusLook, statusText } from '../format/status.ts'
import { formatDuration } from '../format/time.ts'
import { t } from '../i18n/shared.texts.ts'

export const taskTitle = (kind: TaskKind): string => t(`task.kinds.${kind}`)

/** What happens to finished work when a task is cancelled; empty if obvious. */
export function afterCancel({ kind, counts }: Pick<Task, 'kind' | 'counts'>): string {
  switch (kind) {
    case 'import':
      return t(
        (counts['new'] ?? 0) + (counts['update'] ?? 0) > 0 ? 'task.afterCancel.import' : 'task.noImport',
      )
    case 'import-undo':
    case 'bulk-tag':
    case 'bulk-delete':
    case 'bulk-push':
      return t(`task.afterCancel.${kind}`)
    default:
      return ''
  }
}

/** The result of undoing a task’s deletion; null if it was not undone. */
export function undoText({
  kind,
  counts,
  endedAt,
}: Pick<Task, 'kind' | 'counts' | 'endedAt'>): string | null {
  const { broughtBack: undone, lost = 0, untouched: unmarked = 0 } = counts
  if (kind !== 'bulk-delete' || undone === undefined || endedAt === null) return null
  return undoneText({ undone, lost, unmarked })
}

/** How a task is drawn. While disconnected, an unfinished one shows its last state. */
export function taskLook(
  task: Pick<Task, 'kind' | 'state' | 'counts' | 'endedAt'>,
  connected: boolean,
): StatusLook {
  const { state, endedAt } = task
  if (undoText(task) !== null) return { tone: 'quiet', icon: 'undo', label: statusText('undone') }
  const look = statusLook('task', state)
  if (connected || endedAt !== null) return look
  return { tone: 'quiet', icon: 'offline', label: t('status.was', { state: look.label.toLowerCase() }) }
}

/** The page with a task's result. */
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
    case 'field-name-detection':
      return { path: '/settings', query: { section: 'field-names' } }
    case 'message-release':
      return { path: '/messages', query: ref('run') }
    case 'recovery':
      return { path: '/overview', query: {} }
    case 'ott-results':
    case 'export':
    case 'backup':
      return null
    case 'signed-export':
      return { path: '/events', query: {} }
  }
}

const unitText = (unit: Exclude<Task['progress']['unit'], 'bytes'>, n: number) =>
  t(`task.units.${unit}`, { n })

/** `412,000 of 1,000,000 rows`, `61 pages` without a known total, `1.4 MiB of 2 MiB`. */
export function progressText({ done, total, unit }: Task['progress']): string {
  if (unit === 'bytes') {
    return total === null
      ? formatBytes(done)
      : t('task.progressBytes', { done: formatBytes(done), total: formatBytes(total) })
  }
  return total === null
    ? `${formatCount(done)} ${unitText(unit, done)}`
    : t('task.progress', { done, total, unit: unitText(unit, total) })
}

/** Progress of a finished task; empty if it failed before its first step. */
export const endText = ({ progress, state }: Pick<Task, 'progress' | 'state'>): string =>
  state === 'failed' && progress.done === 0 ? '' : progressText(progress)

/** `86,400 rows/s`, or per minute or hour; null when unknown or of no use. */
export function rateText({
  ratePerSecond,
  progress,
}: Pick<Task, 'ratePerSecond' | 'progress'>): string | null {
  // An erasure has few, uneven steps.
  if (ratePerSecond === null || !(ratePerSecond > 0) || progress.unit === 'entries') return null
  if (progress.unit === 'bytes') return `${formatBytes(ratePerSecond)}/s`
  const unit = unitText(progress.unit, 2)
  if (ratePerSecond >= 1) return `${formatCount(ratePerSecond)} ${unit}/s`
  if (ratePerSecond * 60 >= 1) return `${formatCount(ratePerSecond * 60)} ${unit}/min`
  return `${formatCount(ratePerSecond * 3_600)} ${unit}/h`
}

/** `6 s left`; null when unknown. */
export function etaText({ etaMs }: Pick<Task, 'etaMs'>): string | null {
  return etaMs === null ? null : t('task.left', { time: formatDuration(Math.max(1_000, etaMs)) })
}

/** The counts that don't repeat the progress. */
const shownCounts = [
  'new',
  'update',
  'unchanged',
  'duplicateInFile',
  'duplicateInContacts',
  'dnc',
  'held',
  'invalid',
  'marked',
  'partial',
  'nameless',
  'removed',
  'restored',
  'left',
  'changed',
  'deleted',
  'queued',
  'broughtBack',
  'lost',
  'untouched',
  'clear',
  'blocked',
  'notKnown',
  'unparsable',
  'readableTwoWays',
  'added',
  'entries',
  'refused',
  'willSend',
  'maybeListed',
  'missingValue',
  'badValue',
  'badNumber',
  'repeated',
  'unreadable',
  'sentLately',
  'settled',
  'stillOpen',
  'notFound',
  'notReadable',
  'proven',
  'notProven',
  'released',
  'unknown',
  'failed',
  'not-held',
] as const

/** The counts, largest first: `398,210 new, 8,112 updated`. */
export const countsText = (counts: Task['counts']): string =>
  shownCounts
    .map((name) => ({ name, n: counts[name] ?? 0 }))
    .filter(({ n }) => n > 0)
    .sort((a, b) => b.n - a.n)
    .map(({ name, n }) => t(`task.counts.${name}`, { n }))
    .join(', ')

/** The combined progress of these tasks, from 0 to 1; null without a known total. */
export function shareOf(tasks: readonly Pick<Task, 'progress'>[]): number | null {
  const known = tasks.filter(({ progress }) => progress.total !== null && progress.total > 0)
  if (known.length === 0) return null
  const shares = known.map(({ progress }) => Math.min(1, progress.done / progress.total!))
  return shares.reduce((sum, share) => sum + share, 0) / known.length
}

/** Kinds that do the same work for any subject. */
const wholeKinds: readonly TaskKind[] = ['dnc-sync', 'error-code-fill', 'field-name-detection']

/** Failed tasks whose work was not done later. */
export function failedStill(tasks: readonly Task[]): Task[] {
  const isSame = (a: Task, b: Task) =>
    a.kind === b.kind && (wholeKinds.includes(a.kind) || say(a.subject) === say(b.subject))
  return tasks.filter(
    (task) =>
      task.state === 'failed' &&
      !tasks.some(
        (other) => other.state === 'done' && other.createdAt > task.createdAt && isSame(other, task),
      ),
  )
}
