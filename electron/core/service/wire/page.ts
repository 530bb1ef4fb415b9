import * as z from 'zod'
import type { Page } from '../../../contract/domain.ts'
import { requiredCount } from './fields.ts'

/** The largest page (spec, Limits). */
export const perPageMax = 100

const position = z.unknown().optional().transform(Number)

/**
 * Spec, "Pagination envelope". `data` and `total` are required; `data: null` is an empty list. A missing `page` or
 * `per_page` is the requested one.
 */
export const pageOf = <T>(item: z.ZodType<T>, asked: { page: number; perPage: number }) =>
  z
    .object({ data: z.array(item).nullable(), total: requiredCount, page: position, per_page: position })
    .transform((wire): Page<T> => ({
      items: wire.data ?? [],
      total: wire.total,
      page: wire.page >= 1 ? wire.page : asked.page,
      perPage: wire.per_page >= 1 ? wire.per_page : asked.perPage,
    }))

/** A list the spec shows as a bare array; an envelope with `data` is accepted. */
export const listOf = <T>(item: z.ZodType<T>) =>
  z.preprocess(
    (answer) =>
      typeof answer === 'object' && answer !== null && !Array.isArray(answer) && 'data' in answer
        ? (answer.data ?? [])
        : answer,
    z.array(item),
  )
