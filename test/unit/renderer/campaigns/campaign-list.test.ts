import { describe, expect, test } from 'vitest'
import type { Campaign, CampaignId } from '#contract/domain.ts'
import { createCampaignAnswers } from '../../../../renderer/src/shared/campaigns/campaign-answers.ts'
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
    const list = createCampaignList(client, first, { now: () => Date.parse(time(5)) })
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
    const list = createCampaignList(client, first, { now: () => Date.parse(time(5)) })
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

describe('lists that share what they know', () => {
  const running = { ...first, status: 'running' as const }

  /** Two lists over one client, as two pages have them. */
  function twoLists() {
    const { client, waiting } = handClient()
    const ports = { now: () => Date.parse(time(5)), answers: createCampaignAnswers() }
    return {
      waiting,
      one: createCampaignList(client, running, ports),
      other: createCampaignList(client, running, ports),
      all: createCampaignList(client, first, ports),
    }
  }
  type Lists = ReturnType<typeof twoLists>
  async function answered(list: Lists['one'], waiting: Lists['waiting'], items: Campaign[], asOf: string) {
    const reading = list.refresh()
    waiting.at(-1)!.answer(items, asOf)
    await reading
  }

  test('the second begins with what the first was answered', async () => {
    const { one, other, waiting } = twoLists()
    await answered(one, waiting, [campaign('a')], time(3))
    void other.refresh()
    expect(other.state.value).toMatchObject({ kind: 'loading', last: { items: [{ id: 'a' }] } })
  })

  test('an answer kept from before does not take the place of a newer one', async () => {
    const { one, other, waiting } = twoLists()
    await answered(one, waiting, [campaign('a', 'running', 50)], time(8))
    await answered(other, waiting, [campaign('a', 'running', 20), campaign('b')], time(2))
    expect(other.state.value.last).toMatchObject({
      items: [{ id: 'a', sentCount: 50 }],
      freshness: { asOf: time(8) },
    })
    expect(other.state.value.last?.items).toHaveLength(1)
  })

  test('a campaign is as new in a list of another filter', async () => {
    const { one, all, waiting } = twoLists()
    await answered(one, waiting, [campaign('a', 'running', 50)], time(8))
    await answered(all, waiting, [campaign('a', 'running', 20), campaign('b')], time(2))
    expect(all.state.value.last?.items.map(({ sentCount }) => sentCount)).toEqual([50, 10])
    await answered(all, waiting, [campaign('a', 'completed', 90)], time(9))
    expect(all.state.value.last?.items[0]).toMatchObject({ status: 'completed', sentCount: 90 })
  })

  test('a pause in one is known to the other', async () => {
    const { one, all, waiting } = twoLists()
    await answered(one, waiting, [campaign('a')], time(3))
    one.replace(campaign('a', 'paused'))
    await answered(all, waiting, [campaign('a')], time(4))
    expect(all.state.value.last?.items[0]?.status).toBe('paused')
  })
})
