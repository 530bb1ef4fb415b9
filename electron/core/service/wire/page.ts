import * as z from 'zod'
import type { Page } from '../../../contract/domain.ts'
import { requiredCount } from './fields.ts'
import { notAnError } from './message-text.ts'

/** The largest page (spec, Limits). */
export const perPageMax = 100

interface Asked {
  page: number
  perPage: number
}

const position = z
  .unknown()
  .optional()
  .transform((value) => {
    const at = typeof value === 'string' ? Number(value) : value
    return typeof at === 'number' && Number.isInteger(at) && at >= 1 ? at : null
  })

/**
 * Records per page, as the service really pages: what it says, unless its records contradict that. A first page that
 * isn't the whole list is full. At most as many as asked, unless more came.
 */
function sizeOf(said: number | null, records: number, total: number, asked: Asked): number {
  if (asked.page === 1 && records > 0 && records < total) return records
  return Math.max(records, Math.min(said ?? asked.perPage, asked.perPage))
}

/**
 * Spec, "Pagination envelope". `data` is required; `data: null` is an empty list. A missing `page` is the requested one. Without a `total`, it
 * is the least that the page shows. Records that can't be read are skipped and counted; a list of nothing else is another service's.
 */
export const pageOf = <T>(item: z.ZodType<T>, asked: Asked) =>
  notAnError
    .pipe(
      z.object({
        data: z.array(z.unknown()).nullable(),
        total: requiredCount.nullish(),
        page: position,
        per_page: position,
      }),
    )
    .transform(({ data, total: stated, page, per_page: said }, context): Page<T> => {
      const records = data ?? []
      const total =
        stated ?? (asked.page - 1) * Math.min(said ?? asked.perPage, asked.perPage) + records.length
      const { items, fault } = readEach(item, records)
      if (items.length === 0 && fault && records.length >= total)
        return refuse(context, fault, records[0], ['data', 0])
      return {
        items,
        ...(items.length < records.length ? { unreadable: records.length - items.length } : {}),
        total,
        ...(stated === null || stated === undefined ? { atLeast: true } : {}),
        page: page ?? asked.page,
        perPage: sizeOf(said, records.length, total, asked),
      }
    })

/** A list the spec shows as a bare array; an envelope with `data` is accepted. Skips and counts records that can't be read. */
export const listOf = <T>(item: z.ZodType<T>) =>
  z
    .preprocess(
      (answer) =>
        typeof answer === 'object' && answer !== null && !Array.isArray(answer) && 'data' in answer
          ? (answer.data ?? [])
          : answer,
      z.array(z.unknown()),
    )
    .transform((records, context) => {
      const { items, fault } = readEach(item, records)
      if (items.length === 0 && fault) return refuse(context, fault, records[0], [0])
      return { items, unreadable: records.length - items.length }
    })

/** The records that can be read, and why the first can't. */
function readEach<T>(item: z.ZodType<T>, records: readonly unknown[]) {
  const read = records.map((record) => item.safeParse(record))
  return { items: read.flatMap((one) => (one.success ? [one.data] : [])), fault: read[0]?.error }
}

function refuse(context: z.RefinementCtx, fault: z.ZodError, input: unknown, path: PropertyKey[]): never {
  for (const issue of fault.issues)
    context.issues.push({ ...issue, path: [...path, ...issue.path], input } as never)
  return z.NEVER
}
