import type { DayFigures, DaySpan } from '../../../contract/analytics.ts'
import type { Freshness } from '../../../contract/define.ts'
import type { Dialect } from '../../../contract/dialect.ts'
import type { AnalyticsOverview, BillingSummary } from '../../../contract/domain.ts'
import { AppError, isAppError } from '../../../contract/errors.ts'
import { dayReadingMax } from '../../../contract/limits.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { AnswersRepository } from '../../platform/answers/answers.repository.ts'
import type { LiveOrLast } from '../../platform/answers/live-or-last.ts'
import type { ServiceClient } from '../../service/client/create-service-client.ts'
import type { TasksService } from '../../platform/tasks/tasks.service.ts'

const dayMs = 86_400_000

export interface AnalyticsService {
  overview(span: DaySpan): Promise<{ overview: AnalyticsOverview; freshness: Freshness }>
  billing(span: DaySpan): Promise<{ billing: BillingSummary; freshness: Freshness }>
  /** What is kept of each day. Throws `INVALID_INPUT` for a span that is none or too long. */
  days(span: DaySpan): { days: DayFigures[]; requests: number; estimateMs: number; taskId: string | null }
  /** A reading of the same span that is under way is answered again. Throws like `days`. */
  readDays(span: DaySpan): { taskId: string }
}

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)
const startOf = (day: string) => Date.parse(`${day}T00:00:00Z`)

/** The days of a span, oldest first. */
function daysOf({ startDate, endDate }: DaySpan): string[] {
  const length = (startOf(endDate) - startOf(startDate)) / dayMs + 1
  const invalid = (detail: string) => new AppError('INVALID_INPUT', { detail })
  if (length < 1) throw invalid('the span ends before it starts')
  if (length > dayReadingMax)
    throw invalid(`at most ${dayReadingMax} days are read one by one, these are ${length}`)
  return Array.from({ length }, (_item, at) => dayOf(startOf(startDate) + at * dayMs))
}

/**
 * The service's figures of a span of days: its last answers are kept by span and by the names they were asked
 * with.
 */
export function createAnalyticsService(parts: {
  client: ServiceClient
  liveOrLast: LiveOrLast
  answers: AnswersRepository
  dialect: () => Dialect
  tasks: TasksService
  clock: Clock
}): AnalyticsService {
  const { client, liveOrLast, answers, tasks, clock } = parts

  /** Figures that were asked with other names may be those of another span. */
  function keyOf(what: string, { startDate, endDate }: DaySpan): string {
    const { startParameter, endParameter, format } = parts.dialect().analyticsDates.value
    return `analytics/${what}?${startParameter}=${startDate}&${endParameter}=${endDate}&as=${format}`
  }

  /** A refusal is of the dates, which are all that these calls carry. */
  async function ask<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call()
    } catch (error) {
      if (!isAppError(error, 'SERVICE_REJECTED')) throw error
      const { startParameter, endParameter, format } = parts.dialect().analyticsDates.value
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

  function kept(day: string): DayFigures {
    const answer = answers.get(dayKey(day))
    if (!answer) return { day, overview: null, asOf: null, complete: false }
    return {
      day,
      overview: JSON.parse(answer.bodyJson) as AnalyticsOverview,
      asOf: new Date(answer.asOfMs).toISOString(),
      complete: answer.asOfMs >= startOf(day) + dayMs,
    }
  }

  /** What a reading asks for: not what is complete, and not what is to come. */
  const openDays = (span: DaySpan) =>
    daysOf(span).filter((day) => startOf(day) <= clock.now() && !kept(day).complete)

  const subjectOf = ({ startDate, endDate }: DaySpan) => `${startDate} to ${endDate}`

  const underWay = (span: DaySpan) =>
    tasks
      .list()
      .find(
        ({ kind, state, refId }) =>
          kind === 'analytics-days' &&
          refId === subjectOf(span) &&
          (state === 'running' || state === 'waiting' || state === 'paused'),
      )?.id ?? null

  tasks.define<DaySpan>('analytics-days', {
    unit: 'requests',
    canPause: true,
    resumable: true,
    async run({ payload, report, pausePoint, signal }) {
      const days = openDays(payload)
      report({ done: 0, total: days.length })
      for (const [at, day] of days.entries()) {
        await pausePoint()
        // When it is asked counts: an answer that comes after midnight may be of the moment before.
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
    async overview(span) {
      const { value, freshness } = await liveOrLast(keyOf('overview', span), () =>
        ask(() => client.analytics.overview(span, { lane: 'operator' })),
      )
      return { overview: value, freshness }
    },
    async billing(span) {
      const { value, freshness } = await liveOrLast(keyOf('billing-summary', span), () =>
        ask(() => client.analytics.billingSummary(span, { lane: 'operator' })),
      )
      return { billing: value, freshness }
    },
    days(span) {
      const days = daysOf(span).map(kept)
      const requests = openDays(span).length
      return { days, requests, estimateMs: client.budget.estimateMs(requests), taskId: underWay(span) }
    },
    readDays(span) {
      daysOf(span)
      const taskId = underWay(span)
      if (taskId !== null) return { taskId }
      const subject = subjectOf(span)
      return { taskId: tasks.start('analytics-days', { subject, payload: span, refId: subject }).id }
    },
  }
}
