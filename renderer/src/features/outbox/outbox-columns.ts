import type { OutboxItem } from '#contract/people/outbox.ts'
import { formatAge, formatUtc } from '../../shared/format/time.ts'
import type { useKnownNumbers } from '../../shared/people/use-known-numbers.ts'
import type { Column } from '../../shared/table/columns.ts'
import { requestLook } from '../../shared/format/status.ts'
import type { ProbableReport } from './item-actions.ts'
import { blockOf, lastStep, outcomeText, servedStatus } from './outbox-words.ts'
import { t } from './outbox.texts.ts'

type Known = ReturnType<typeof useKnownNumbers>

function toneOf(item: OutboxItem): string {
  if (servedStatus(item) !== null) return 'warn'
  const { tone } = requestLook(item)
  return tone === 'bad' || tone === 'warn' ? tone : 'muted'
}

type ReportOf = (id: number) => ProbableReport | undefined

const resultOf =
  ({ blockedOf }: Known, reportOf: ReportOf) =>
  (item: OutboxItem) =>
    outcomeText(item, blockedOf(item.phone), reportOf(item.id))

/** `known`: a contact's name, for items queued without one, and whether its number is blocked. `reportOf`: the report that an unconfirmed message probably has. */
export const outboxColumns = (known: Known, reportOf: ReportOf): Column<OutboxItem>[] => [
  { id: 'selected', title: t('columns.selected'), width: 20, untitled: true },
  { id: 'status', title: t('columns.status'), width: 138, status: requestLook },
  {
    id: 'request',
    title: t('columns.request'),
    width: 112,
    hide: 2,
    text: ({ operation }) => t(`operations.${operation}`),
  },
  {
    id: 'name',
    title: t('columns.name'),
    width: 100,
    grow: 1.2,
    text: ({ name, phone }) => name || known.nameOf(phone) || null,
  },
  {
    id: 'number',
    title: t('columns.number'),
    width: 136,
    hide: 1,
    phone: ({ phone }) => phone,
    blocked: ({ phone }) => known.blockedOf(phone),
  },
  {
    id: 'updated',
    title: t('columns.updated'),
    width: 84,
    hide: 3,
    muted: true,
    text: (item) => formatAge(lastStep(item).at),
    hint: (item) => {
      const { at, what } = lastStep(item)
      return t(`steps.${what}`, { time: formatUtc(at) })
    },
  },
  {
    id: 'result',
    title: t('columns.result'),
    width: 150,
    grow: 2,
    text: resultOf(known, reportOf),
    hint: resultOf(known, reportOf),
    tone: (item) => {
      if (blockOf(item, known.blockedOf(item.phone)) !== null) return 'warn'
      return reportOf(item.id) ? undefined : toneOf(item)
    },
  },
]
