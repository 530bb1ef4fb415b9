import type { DncCheckRun } from '#contract/people/dnc.ts'
import type { Rpc } from './start-core.ts'
import { taskEnd } from './wait-for.ts'

/** Syncs the DNC list. @returns the finished task. */
export const syncDnc = async (rpc: Pick<Rpc, 'dnc' | 'tasks'>) => taskEnd(rpc, (await rpc.dnc.sync()).taskId)

/** The state of the offline copy. */
export const dncCache = async (rpc: Pick<Rpc, 'dnc'>) =>
  (await rpc.dnc.checkOffline({ phones: ['+14155550100'], region: 'US' })).cache

type CheckOrder = Parameters<Rpc['dnc']['checkFile']>[0]

/** Checks a list as dialled in Germany, unless `order` says otherwise. @returns the finished check. */
export async function checkList(
  rpc: Rpc,
  order: Partial<CheckOrder> & Pick<CheckOrder, 'source'>,
): Promise<DncCheckRun> {
  const inGermany = { name: 'list', region: 'DE', hasCountryCodes: false }
  const { checkId, taskId } = await rpc.dnc.checkFile({ ...inGermany, ...order })
  await taskEnd(rpc, taskId)
  return (await rpc.dnc.checkRuns({ limit: 10 })).items.find(({ id }) => id === checkId)!
}
