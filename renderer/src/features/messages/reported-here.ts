import { type ReportedHere, messageIdsMax } from '#contract/views/messages.ts'
import { type Ref, type ShallowRef, shallowRef } from 'vue'
import { attempt } from '../../rpc/error-view.ts'
import type { Client } from '../../rpc/rpc.ts'
import { startPolling } from '../../shared/time/polling.ts'
import type { LookupState } from './message-lookup.ts'

/** How often local events are checked for newer reports, milliseconds. Sends nothing to the service. */
const askEveryMs = 5_000

/** The answers of a lookup that have a record. */
const answersOf = ({ results }: LookupState) =>
  [...results].flatMap(([id, result]) =>
    result.kind === 'answered' && result.detail.record !== null
      ? [{ id, status: result.detail.record.status }]
      : [],
  )

/** Newer delivery reports for the answers of a lookup, by ID; refreshed while `looked` at. */
export function createReportedHere(
  client: Pick<Client, 'messages'>,
  lookup: () => LookupState,
  looked: Readonly<Ref<boolean>>,
): {
  state: Readonly<ShallowRef<ReadonlyMap<string, ReportedHere>>>
  read(): Promise<void>
  end(): void
} {
  const state: ShallowRef<ReadonlyMap<string, ReportedHere>> = shallowRef(new Map())

  async function read(): Promise<void> {
    const answers = answersOf(lookup()).slice(0, messageIdsMax)
    if (answers.length === 0) return
    const answer = await attempt(client.messages.reportedHere({ answers }))
    if (answer.ok) state.value = new Map(answer.value.reports.map((report) => [report.id, report]))
  }

  return { state, read, end: startPolling(read, () => askEveryMs, { visible: looked }) }
}
