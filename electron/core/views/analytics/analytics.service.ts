import type { DaySpan } from '../../../contract/views/analytics.ts'
import type { Freshness } from '../../../contract/define.ts'
import type { AnalyticsOverview, BillingSummary } from '../../../contract/domain.ts'
import { AppError, isAppError } from '../../../contract/errors.ts'
import type { LiveOrLast } from '../../platform/answers/live-or-last.ts'
import type { ServiceParts } from '../../service/parts.ts'

/** The service's totals of a period. Last answers are cached by period and parameter names. */
export function createAnalyticsService(
  parts: Pick<ServiceParts, 'client' | 'fieldNames'> & {
    liveOrLast: LiveOrLast
  },
) {
  const { client, liveOrLast } = parts

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
  }
}
