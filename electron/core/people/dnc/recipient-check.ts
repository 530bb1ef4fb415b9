import { AppError } from '../../../contract/errors.ts'
import { hitReason } from '../../../jobs/table/blocked-numbers.ts'
import type { ServiceClient } from '../../service/client/create-service-client.ts'
import type { DncRepository } from './dnc.repository.ts'
import type { PlatformParts } from '../../platform/parts.ts'

/** Longest wait for the service. */
const waitMs = 10_000

/**
 * Asks the service whether one recipient is on its DNC list, under each of its numbers, the likeliest first. True if it proves all clear;
 * false if it can't be asked, or may have ignored a number. Throws ON_DNC for a blocked one, which the offline copy then knows.
 */
export function createRecipientCheck(
  parts: Pick<PlatformParts, 'clock' | 'log'> & {
    client: Pick<ServiceClient, 'dnc'>
    repository: Pick<DncRepository, 'learn'>
    /** Called when the copy has a new entry for these digits. */
    learned: (digits: number) => void
  },
) {
  const { client, repository, clock, log } = parts

  return async (numbers: readonly number[]): Promise<boolean> => {
    const limit = new AbortController()
    const cancel = clock.after(waitMs, () => limit.abort())
    const ask = (phone: string) =>
      client.dnc.check({ phone }, { lane: 'operator', signal: limit.signal }).catch((error: unknown) => {
        log.info('Could not ask the service about a recipient', { error })
        return null
      })
    const asked = [...new Set(numbers)]
    const answers = await Promise.all(asked.map((digits) => ask(`+${digits}`)))
    cancel()
    const at = answers.findIndex((answer) => answer?.verdict === 'blocked')
    if (at === -1) return answers.every((answer) => answer?.verdict === 'clear')
    const { id = null, reason = null, createdAt = null } = answers[at]!.entry ?? {}
    const digits = asked[at]!
    const entry = { id, tenantId: null, phoneNumber: `+${digits}`, reason, createdAt }
    if (repository.learn(entry, clock.now())) parts.learned(digits)
    const why = hitReason({ digits, by: 'dnc', isSure: true }, asked[0]!) ??
      reason ?? { key: 'dnc.noReason' as const }
    throw new AppError('ON_DNC', { phone: `+${asked[0]}`, reason: why })
  }
}
