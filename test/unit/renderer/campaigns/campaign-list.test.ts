import { describe, expect, test } from 'vitest'
import type { Campaign, CampaignId } from '#contract/domain.ts'
import { createCampaignList } from '../../../../renderer/src/shared/campaigns/campaign-list.ts'

const campaign = (id: string, status = 'running', sentCount = 10): Campaign => ({
  id: id as CampaignId,
  tenantId: null,
  accountId: null,
  name: `Campaign ${id}`,
  templateId: null,
  senderId: null,
  status,
  totalRecipients: 100,
  sentCount,
  failedCount: 0,
  startedAt: null,
  completedAt: null,
  createdAt: null,
  updatedAt: null,
})

const time = (second: number) => new Date(Date.UTC(2026, 0, 5, 9, 0, second)).toISOString()

/** A client whose every answer is given by hand, in any order. */
function handClient() {
  const waiting: {
    input: { status?: string; page: number }
    answer(items: Campaign[], asOf?: string): void
    fail(): void
  }[] = []
  const client = {
    campaigns: {
      list: (input: never) =>
        new Promise((resolve, reject) =>
          waiting.push({
            input,
            answer: (items, asOf = time(1)) =>
              resolve({
                items,
                total: items.length,
                page: 1,
                perPage: 20,
                freshness: { asOf, source: 'live', error: null },
              }),
            fail: () => reject(new Error('no')),
          }),
        ),
    },
  }
  return { client: client as never, waiting }
}

const first = { page: 1, perPage: 20 }

describe('the list of campaigns', () => {
  test('keeps what is shown while another filter is read', async () => {
    const { client, waiting } = handClient()
    const list = createCampaignList(client, first)
    const reading = list.refresh()
    waiting[0]!.answer([campaign('a')])
    await reading
    void list.ask({ ...first, status: 'paused' })
    expect(list.state.value).toMatchObject({ kind: 'loading', last: { items: [{ id: 'a' }] } })
    expect(waiting[1]!.input).toMatchObject({ status: 'paused' })
  })

  test('shows only the answer to the latest question', async () => {
    const { client, waiting } = handClient()
    const list = createCampaignList(client, first)
    const before = list.refresh()
    const after = list.ask({ ...first, status: 'draft' })
    waiting[1]!.answer([campaign('new')])
    await after
    waiting[0]!.answer([campaign('old')])
    await before
    expect(list.state.value.last?.items.map(({ id }) => id)).toEqual(['new'])
  })

  test('a failed refresh keeps the last page on screen and tells why', async () => {
    const { client, waiting } = handClient()
    const list = createCampaignList(client, first)
    const reading = list.refresh()
    waiting[0]!.answer([campaign('a')])
    await reading
    const again = list.refresh()
    waiting[1]!.fail()
    await again
    expect(list.state.value).toMatchObject({
      kind: 'failed',
      last: { items: [{ id: 'a' }] },
      error: { code: 'INTERNAL' },
    })
  })

  test('an answer that was on its way before a pause does not undo it', async () => {
    const { client, waiting } = handClient()
    const list = createCampaignList(client, first, () => Date.parse(time(5)))
    const reading = list.refresh()
    waiting[0]!.answer([campaign('a')])
    await reading
    const onItsWay = list.refresh()
    list.replace(campaign('a', 'paused'))
    waiting[1]!.answer([campaign('a', 'running')], time(6))
    await onItsWay
    expect(list.state.value.last?.items[0]?.status).toBe('paused')
  })

  test('a kept answer from before a pause does not undo it, a newer one is believed', async () => {
    const { client, waiting } = handClient()
    const list = createCampaignList(client, first, () => Date.parse(time(5)))
    list.replace(campaign('a', 'paused'))
    const kept = list.refresh()
    waiting[0]!.answer([campaign('a', 'running')], time(3))
    await kept
    expect(list.state.value.last?.items[0]?.status).toBe('paused')
    const later = list.refresh()
    waiting[1]!.answer([campaign('a', 'running', 11)], time(9))
    await later
    expect(list.state.value.last?.items[0]).toMatchObject({ status: 'running', sentCount: 11 })
  })

  test('a campaign of another page that changes leaves this page alone', async () => {
    const { client, waiting } = handClient()
    const list = createCampaignList(client, first)
    const reading = list.refresh()
    waiting[0]!.answer([campaign('a'), campaign('b')])
    await reading
    list.replace(campaign('z', 'paused'))
    expect(list.state.value.last?.items.map(({ status }) => status)).toEqual(['running', 'running'])
  })
})
