import { expect, it } from 'vitest'
import { AppError } from '#contract/errors.ts'
import { createSendOne } from '#electron/core/people/templates/send-one.ts'

it.each(['team-stale', 'stale', 'fresh'])(
  'asks the service about a number and obeys it while the list is %s, also when you go on without a check',
  async (state) => {
    const added: unknown[] = []
    const { send } = createSendOne({
      templates: { toSend: () => ({ serviceId: 't-1', variables: [], name: 'Hello' }) },
      outbox: {
        begin: () => ({ batchId: 'b' }),
        add: (_: string, items: []) => added.push(...items),
        go() {},
      },
      dncList: () => ({ state }),
      blockedBecause: () => null,
      isProvenClear: () => Promise.reject(new AppError('ON_DNC')),
      connection: () => ({ production: false }),
    } as never)
    const message = { key: 1, channelId: 'c', contactId: null, values: [], allowEmpty: false }
    await expect(
      send({ ...message, to: '+4917123456701', region: 'DE', uncheckedKnowingly: true }),
    ).rejects.toMatchObject({ code: 'ON_DNC' })
    expect(added).toEqual([])
  },
)
