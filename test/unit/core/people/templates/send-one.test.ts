import { expect, it } from 'vitest'
import { AppError } from '#contract/errors.ts'
import { createSendOne } from '#electron/core/people/templates/send-one.ts'

/** Sends one message while the list is in a state and the service answers so. `queued`: what lets it leave without a DNC copy. */
function sendWhile(state: string, isProvenClear: () => Promise<boolean>, uncheckedKnowingly: boolean) {
  const queued: { unchecked: boolean; clearUntilMs?: number; clearBy?: string }[] = []
  let unchecked = false
  const { send } = createSendOne({
    templates: { toSend: () => ({ serviceId: 't-1', variables: [], name: 'Hello' }), used() {} },
    outbox: {
      begin(batch: { unchecked: boolean }) {
        unchecked = batch.unchecked
        return { batchId: 'b' }
      },
      add: (_: string, items: { clearUntilMs?: number; clearBy?: string }[]) =>
        items.map(({ clearUntilMs, clearBy }, at) => {
          queued.push({ unchecked, ...(clearUntilMs && { clearUntilMs, clearBy }) })
          return at
        }),
      go() {},
    },
    dncList: () => ({ state }),
    blockedBecause: () => null,
    isProvenClear,
    clearance: () => ({ clearUntilMs: 5, clearBy: 'key-1' }),
    connection: () => ({ production: false }),
  } as never)
  const message = { key: 1, channelId: 'c', contactId: null, values: [], allowEmpty: false }
  const sending = send({ ...message, to: '+4917123456701', region: 'DE', uncheckedKnowingly })
  return { sending, queued }
}

it.each(['team-stale', 'stale', 'fresh'])(
  'asks the service about a number and obeys it while the list is %s, also when you go on without a check',
  async (state) => {
    const { sending, queued } = sendWhile(state, () => Promise.reject(new AppError('ON_DNC')), true)
    await expect(sending).rejects.toMatchObject({ code: 'ON_DNC' })
    expect(queued).toEqual([])
  },
)

it.each([
  ['stale', true, false, { unchecked: false, clearUntilMs: 5, clearBy: 'key-1' }],
  ['stale', false, true, { unchecked: true }],
  ['team-stale', false, true, { unchecked: false }],
  ['fresh', false, true, { unchecked: false }],
] as const)(
  'with a %s list, a number proven clear (%s) and your choice to go on (%s)',
  async (state, isProven, isChosen, expected) => {
    const { sending, queued } = sendWhile(state, () => Promise.resolve(isProven), isChosen)
    await sending
    expect(queued).toEqual([expected])
  },
)
