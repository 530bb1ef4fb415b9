import type { DayFigures, DaySpan } from '../../../contract/views/analytics.ts'
import type { Phrase } from '../../../contract/phrases.ts'
import type { Freshness } from '../../../contract/define.ts'
import type { FieldNames } from '../../../contract/field-names.ts'
import type { AnalyticsOverview, BillingSummary } from '../../../contract/domain.ts'
import { AppError, isAppError } from '../../../contract/errors.ts'
import { dayReadingMax } from '../../../contract/limits.ts'
import type { Clock } from '../../../lib/clock.ts'
import { isoTime, utcDay } from '../../../lib/iso-time.ts'
import type { AnswersRepository } from '../../platform/answers/answers.repository.ts'
import type { LiveOrLast } from '../../platform/answers/live-or-last.ts'
import type { ServiceClient } from '../../service/client/create-service-client.ts'
import type { TasksService } from '../../platform/tasks/tasks.service.ts'

const dayMs = 86_400_000

const startOf = (day: string) => Date.parse(`${day}T00:00:00Z`)

/** The days of a period, oldest first. */
function daysOf({ startDate, endDate }: DaySpan): string[] {
  const length = (startOf(endDate) - startOf(startDate)) / dayMs + 1
  const invalid = (detail: Phrase) => new AppError('INVALID_INPUT', { detail })
  if (length < 1) throw invalid({ key: 'input.periodReversed' })
  if (length > dayReadingMax) throw invalid({ key: 'input.periodDays', max: dayReadingMax, days: length })
  return Array.from({ length }, (_item, at) => utcDay(startOf(startDate) + at * dayMs))
}

/** The service's totals of a period. Last answers are cached by period and parameter names. */
export function createAnalyticsService(parts: {
  client: ServiceClient
  liveOrLast: LiveOrLast
  answers: AnswersRepository
  fieldNames: () => FieldNames
  tasks: TasksService
  clock: Clock
}) {
  const { client, liveOrLast, answers, tasks, clock } = parts

  /** With other parameter names, the totals may be of another period. */
  function keyOf(what: string, { startDate, endDate }: DaySpan): string {
    const { startParameter, endParameter, format } = parts.fieldNames().analyticsDates.value
    return `analytics/${what}?${startParameter}=${startDate}&${endParameter}=${endDate}&as=${format}`
  }

  /** These calls carry only dates, so a rejection is about the dates. */
  async function ask<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call()
    } catch (error) {
      if (!isAppError(error, 'SERVICE_REJECTED')) throw error
      const { startParameter, endParameter, format } = parts.fieldNames().analyticsDates.value
      const example = format === 'date' ? '2026-01-31' : '2026-01-31T00:00:00Z'
      throw new AppError(
        'ANALYTICS_DATES_REFUSED',
        {
          serviceText: error.data['serviceText'] ?? '',
          names: `${startParameter} and ${endParameter}`,
          example,
        },
        { cause: error },
      )
    }
  }

  const dayKey = (day: string) => keyOf('day', { startDate: day, endDate: day })

  function cachedDay(day: string): DayFigures {
    const answer = answers.get(dayKey(day))
    if (!answer) return { day, overview: null, asOf: null, complete: false }
    return {
      day,
      overview: JSON.parse(answer.bodyJson) as AnalyticsOverview,
      asOf: isoTime(answer.asOfMs),
      complete: answer.asOfMs >= startOf(day) + dayMs,
    }
  }

  /** Days to read: not those that are complete or in the future. */
  const openDays = (span: DaySpan) =>
    daysOf(span).filter((day) => startOf(day) <= clock.now() && !cachedDay(day).complete)

  const refOf = ({ startDate, endDate }: DaySpan) => `${startDate} to ${endDate}`

  const underWay = (span: DaySpan) => tasks.underWay('analytics-days', refOf(span))?.id ?? null

  tasks.define<DaySpan>('analytics-days', {
    unit: 'requests',
    canPause: true,
    resumable: true,
    async run({ payload, report, pausePoint, signal }) {
      const days = openDays(payload)
      report({ done: 0, total: days.length })
      for (const [at, day] of days.entries()) {
        await pausePoint()
        // The request's time counts: an answer after midnight may describe the moment before.
        const askedMs = clock.now()
        const overview = await ask(() =>
          client.analytics.overview({ startDate: day, endDate: day }, { lane: 'bulk', signal }),
        )
        answers.put(dayKey(day), JSON.stringify(overview), askedMs)
        report({ done: at + 1 })
      }
    },
  })

  return {
    async overview(span: DaySpan): Promise<{ overview: AnalyticsOverview; freshness: Freshness }> {
      const { value, freshness } = await liveOrLast(keyOf('overview', span), () =>
        ask(() => client.analytics.overview(span, { lane: 'operator' })),
      )
      return { overview: value, freshness }
    },
    async billing(span: DaySpan): Promise<{ billing: BillingSummary; freshness: Freshness }> {
      const { value, freshness } = await liveOrLast(keyOf('billing-summary', span), () =>
        ask(() => client.analytics.billingSummary(span, { lane: 'operator' })),
      )
      return { billing: value, freshness }
    },
    /** The stored answer of each day. Throws `INVALID_INPUT` for an invalid or too long period. */
    days(span: DaySpan): { days: DayFigures[]; requests: number; estimateMs: number; taskId: string | null } {
      const days = daysOf(span).map(cachedDay)
      const requests = openDays(span).length
      return { days, requests, estimateMs: client.budget.estimateMs(requests), taskId: underWay(span) }
    },
    /** Reads the missing days, or joins a running read of the same period. Throws like `days`. */
    readDays(span: DaySpan): { taskId: string } {
      daysOf(span)
      const taskId = underWay(span)
      if (taskId !== null) return { taskId }
      const subject: Phrase = { key: 'subject.days', from: span.startDate, to: span.endDate }
      return { taskId: tasks.start('analytics-days', { subject, payload: span, refId: refOf(span) }).id }
    },
  }
}
