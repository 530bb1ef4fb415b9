import { useAnswer } from '../query/use-answer.ts'
import { followed } from './use-campaigns.ts'

/** All alert rules, when they were last checked, the newest 100 alerts, and campaigns that run again. Costs no request. */
export const useAlertRules = () =>
  useAnswer(
    () => ['campaigns', 'rules'],
    async ({ campaigns }) => {
      const [{ alertRules, watch, resumed }, { items }] = await Promise.all([
        campaigns.alertRules(),
        campaigns.trips({ limit: 100 }),
      ])
      return { alertRules, watch, resumed, trips: items }
    },
    () => followed,
  )
