import type { Campaign } from '#contract/domain.ts'
import { failureTitle } from '../../shared/campaigns/campaign-progress.ts'
import { failureTone } from '../../shared/format/failures.ts'
import { statusLook } from '../../shared/format/status.ts'
import type { Column } from '../../shared/table/columns.ts'
import { t } from './campaigns.texts.ts'

/** The name and *Pause* stay in the narrowest window. */
export const columnsOf = (): Column<Campaign>[] => [
  { id: 'campaign', title: t('columns.campaign'), width: 160, grow: 2 },
  {
    id: 'status',
    title: t('columns.status'),
    width: 96,
    status: ({ status }) => statusLook('campaign', status ?? t('list.noStatus')),
  },
  { id: 'progress', title: t('columns.progress'), width: 144, grow: 1 },
  {
    id: 'failed',
    title: t('columns.failed'),
    width: 60,
    hide: 1,
    numeric: true,
    hint: failureTitle,
    tone: (row) => failureTone(row.failedCount, row.sentCount),
  },
  { id: 'spark', title: t('columns.spark'), width: 90, hide: 4 },
  { id: 'rate', title: t('columns.rate'), width: 144, hide: 2 },
  { id: 'started', title: t('columns.started'), width: 124, hide: 3 },
  { id: 'action', title: t('columns.action'), width: 116, untitled: true, numeric: true },
]
