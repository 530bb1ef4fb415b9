import type { RecipientSource } from '#contract/people/templates.ts'
import type { Rpc } from './start-core.ts'
import { taskEnd } from './wait-for.ts'

/** A channel that every scripted service takes. */
export const someChannel = '96d03559-3298-4c60-a38e-3e26769de09c'

/** A template of a name and a number, and where a file has them. */
export const pointsTemplate = {
  name: 'Points',
  body: '{{name}}: {{points}}',
  variables: [
    { name: 'name', type: 'string' as const },
    { name: 'points', type: 'number' as const },
  ],
}
export const pointsMapping = [
  { name: 'name', source: { from: 'name' as const } },
  { name: 'points', source: { from: 'column' as const, column: 2 } },
]

/** A file with names in its first column and numbers in its second, as dialled in Germany. */
export const peopleIn = (
  fileId: string,
  change: Partial<Extract<RecipientSource, { file: unknown }>['file']> = {},
): RecipientSource => ({
  file: {
    fileId,
    headerRow: 1,
    phoneColumn: 1,
    nameColumn: 0,
    region: 'DE',
    hasCountryCodes: false,
    ...change,
  },
})

type Order = Parameters<Rpc['templates']['prepare']>[0]

/** Prepares a bulk send. @returns its finished task and its plan. */
export async function dryRun(rpc: Rpc, order: Partial<Order> & Pick<Order, 'key' | 'source'>) {
  const { id, taskId } = await rpc.templates.prepare({
    channelId: someChannel,
    subject: { key: 'subject.all' },
    mapping: [],
    ...order,
  })
  const task = await taskEnd(rpc, taskId!)
  return { id, task, ...(await rpc.templates.sendOf({ id })) }
}

/** Confirms a send as it is now. */
export async function confirmSend(rpc: Rpc, id: string, more: { uncheckedKnowingly?: boolean } = {}) {
  const { counts, digest } = (await rpc.templates.sendOf({ id })).send
  return rpc.templates.queue({ id, willSend: counts?.willSend ?? 0, digest: digest ?? '', ...more })
}

type Send = Parameters<Rpc['templates']['send']>[0]

/** Sends to one number, as dialled in Germany. */
export const sendTo = (rpc: Rpc, order: Partial<Send> & Pick<Send, 'key' | 'to'>) =>
  rpc.templates.send({ channelId: someChannel, region: 'DE', contactId: null, values: [], ...order })
