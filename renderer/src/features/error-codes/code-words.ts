import type { Client } from '../../rpc/rpc.ts'
import type { ErrorCodeCard } from '#contract/views/error-codes.ts'
import * as z from 'zod'
import { say } from '../../shared/i18n/core-texts.ts'
import { addressText } from '../../shared/list/use-address-filter.ts'
import { t } from './error-codes.texts.ts'

export const codeFilterSchema = z.object({
  text: addressText,
  show: z.enum(['all', 'seen']).catch('all'),
  category: z.string().max(200).catch(''),
  code: z.string().min(1).max(512).nullable().catch(null),
})
export type CodeFilter = z.infer<typeof codeFilterSchema>

/** A code's meaning: the service's, else the specification's. */
export function meaningOf({ records, dlrMeaning }: ErrorCodeCard): string | null {
  return (
    records.find(({ description }) => description !== null && description !== '')?.description ??
    (dlrMeaning && say(dlrMeaning))
  )
}

export function categoriesOf({ records }: ErrorCodeCard): string {
  return [...new Set(records.flatMap(({ category }) => category ?? []))].join(', ')
}

type OnlineAnswer = Awaited<ReturnType<Client['errorCodes']['searchOnline']>>

export function foundText({ items, added }: Pick<OnlineAnswer, 'items' | 'added'>): string {
  const n = items.length
  if (n === 0) return t('foundNone')
  return added === 0 ? t('foundNoneNew', { n }) : t('found', { n, added })
}
