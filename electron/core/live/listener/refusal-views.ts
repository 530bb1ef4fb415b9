import { AppError } from '../../../contract/errors.ts'
import type { OutputOf } from '../../../contract/define.ts'
import type { listenerContract, RefusalDetail } from '../../../contract/live/listener.ts'
import type { Clock } from '../../../lib/clock.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import type { ListenerThread } from './listener-thread-client.ts'
import type { SigningSecrets } from './signing-secrets.ts'

/** Rejected deliveries, with the names of the secrets they were compared with. */
export function createRefusalViews(
  thread: () => ListenerThread | null,
  secrets: Pick<SigningSecrets, 'known' | 'missing'>,
  clock: Clock,
) {
  return {
    async refusals(): Promise<OutputOf<typeof listenerContract, 'refusals'>> {
      const [samples = [], counted] = await Promise.all([thread()?.refusals(), thread()?.stats()])
      return {
        refusals: samples.map(({ atMs, ...sample }) => ({ at: isoTime(atMs), ...sample })),
        total: counted?.refusedTotal ?? 0,
        byReason: counted?.refused ?? {},
        asOf: isoTime(clock.now()),
      }
    },
    /** A rejected delivery with its diagnosis. Rejects with NOT_FOUND for one no longer in memory. */
    async refusal({ id }: { id: string }): Promise<RefusalDetail> {
      const detail = await thread()?.refusal(id)
      if (!detail) throw new AppError('NOT_FOUND', { what: { key: 'what.rejectedDelivery' } })
      const labels = new Map(secrets.known().map((secret) => [secret.id, secret.label]))
      const labelOf = (secretId: string) =>
        labels.get(secretId) ?? ({ key: 'listener.removedSecret' } as const)
      const { atMs, bodyHex, computed, match, ...rest } = detail
      return {
        ...rest,
        at: isoTime(atMs),
        untried: secrets.missing().map(({ label }) => label),
        body: bodyHex === null ? null : Buffer.from(bodyHex, 'hex').toString('utf8'),
        computed: computed.map(({ secretId, signatureStart, isSame, retiredAtMs }) => ({
          label: labelOf(secretId),
          signatureStart,
          isSame,
          retiredAt: isoTime(retiredAtMs),
        })),
        match: match && {
          label: labelOf(match.secretId),
          received: match.received,
          secret: match.secret,
          retiredAt: isoTime(match.retiredAtMs),
        },
      }
    },
  }
}
