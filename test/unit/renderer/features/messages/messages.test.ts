import { describe, expect, test } from 'vitest'
import type { MessageDetail } from '#contract/views/messages.ts'
import page from '../../../../../renderer/src/features/messages/index.ts'
import { readIds } from '../../../../../renderer/src/features/messages/message-ids.ts'
import { listOf, movedText } from '../../../../../renderer/src/features/messages/message-list.ts'
import { createLookup } from '../../../../../renderer/src/features/messages/message-lookup.ts'
import {
  canRelease,
  filterRows,
  isLikelyHeld,
  listedRow,
  lookedUpRow,
} from '../../../../../renderer/src/features/messages/message-rows.ts'
import { createReleaseMessages } from '../../../../../renderer/src/features/messages/release-messages.ts'
import { DisconnectedError } from '../../../../../renderer/src/rpc/error-view.ts'
import {
  aDetail,
  aMessage,
  aRelease,
  notFound,
  ordinaryMessages,
} from '../../../../helpers/scripted/messages.ts'

const live = { asOf: '2026-11-21T12:00:00.000Z', source: 'live' as const, error: null }

describe('pasted ids', () => {
  test('are split at spaces, commas, semicolons and lines, unquoted, each once', () => {
    expect(readIds(' a-1, "b/2";c\n\ta-1  ')).toEqual({
      ids: ['a-1', 'b/2', 'c'],
      repeated: 1,
      problem: null,
    })
    // As copied from pages, chats and spreadsheets.
    expect(readIds('\ufeffa-1\u200b, \u2068b-2\u2069\u00a0“c-3”\u00ad').ids).toEqual(['a-1', 'b-2', 'c-3'])
    // A number is looked up whole, so that the answer can say what it is.
    for (const number of ['07911 000200', '+49 1711234567', '+44 (0)7911 000-200', '(0664) 111 00 09'])
      expect(readIds(`${number} `).ids).toEqual([number])
    expect(readIds('0012345 0012346').ids).toEqual(['0012345', '0012346'])
    const long = Array.from({ length: 40 }, (_item, index) => `00123456${index + 10}`)
    expect(readIds([...long, '0012'].join(' ')).ids, 'one text, found at once').toHaveLength(1)
    expect(readIds(' \n ')).toEqual({ ids: [], repeated: 0, problem: null })
  })

  test('are refused when too many or too long', () => {
    const many = Array.from({ length: 201 }, (_item, index) => `m${index}`).join(' ')
    expect(readIds(many).problem).toBe('At most 200 IDs at once (201 entered)')
    expect(readIds('x'.repeat(513)).problem).toBe('IDs have at most 512 characters')
  })
})

describe('a lookup', () => {
  const clientOf = (get: (id: string) => Promise<MessageDetail>) =>
    ({ messages: { get: ({ id }: { id: string }) => get(id) } }) as never

  test('gives each id its own result, and continues after a failure', async () => {
    const lookup = createLookup(
      clientOf((id) =>
        id === 'lost'
          ? Promise.reject(new Error('no'))
          : Promise.resolve(id === 'no' ? notFound(id) : aDetail(aMessage({ id }))),
      ),
      () => {},
    )
    await lookup.start(['a', 'lost', 'no', 'b'])
    const { phase, ids, results } = lookup.state.value
    expect(phase).toBe('ended')
    expect(ids.map((id) => lookedUpRow(id, results.get(id), true).look.label)).toEqual([
      'Delivered',
      'Failed',
      'Not found',
      'Delivered',
    ])
  })

  test('shows the age of each answer, and a newer delivery report until the answer agrees', () => {
    const answered = (status: string) => ({
      kind: 'answered' as const,
      at: live.asOf,
      detail: aDetail(aMessage({ id: 'a', status }), { freshness: live }),
    })
    const report = { id: 'a', status: 'delivered', at: '2026-11-21T12:01:06.000Z' }
    const row = lookedUpRow('a', answered('submitted'), true, report)
    expect(row).toMatchObject({ look: { label: 'Submitted' }, doubtful: true, freshness: live })
    expect(row.says).toMatch(/^Delivery report: Delivered, .*:01:06\.$/)
    expect(lookedUpRow('a', answered('submitted'), true)).toMatchObject({ says: '', doubtful: false })
    expect(lookedUpRow('a', answered('delivered'), true, report)).toMatchObject({ says: '', doubtful: false })
    const unknown = { kind: 'answered' as const, at: live.asOf, detail: notFound('a') }
    expect(lookedUpRow('a', unknown, true).freshness).toEqual(live)
    const cached = {
      ...answered('submitted'),
      detail: aDetail(aMessage({ id: 'a' }), { outcome: 'last-known' }),
    }
    expect(lookedUpRow('a', cached, true)).toMatchObject({ says: 'Cached.', doubtful: true })
  })

  test('starts no further ID once stopped, and keeps its answers', async () => {
    const asked: string[] = []
    const waiting: (() => void)[] = []
    const lookup = createLookup(
      clientOf((id) => {
        asked.push(id)
        return new Promise((resolve) => waiting.push(() => resolve(aDetail(aMessage({ id })))))
      }),
      () => {},
    )
    const ids = ['a', 'b', 'c', 'd', 'e', 'f']
    const done = lookup.start(ids)
    lookup.stop()
    for (const answer of waiting) answer()
    await done
    expect(asked.length).toBeLessThan(ids.length)
    const labels = ids.map((id) => lookedUpRow(id, lookup.state.value.results.get(id), true).look.label)
    expect(labels.filter((label) => label === 'Delivered')).toHaveLength(asked.length)
    expect(labels.filter((label) => label === 'Not looked up')).toHaveLength(ids.length - asked.length)
  })
})

describe('the list', () => {
  test('shows a message that moved to the next page once, as loaded last', () => {
    const all = ordinaryMessages(150)
    const first = { items: all.slice(0, 100), campaigns: [], total: 151, freshness: live }
    expect(listOf([first])).toMatchObject({ more: 'there', total: 151 })
    // A new message moved the last one of the first page to the second.
    const second = {
      items: [{ ...all[99]!, status: 'sent again' }, ...all.slice(100)],
      campaigns: [],
      total: 151,
      freshness: live,
    }
    const { rows, more, moved } = listOf([first, second])
    expect(rows).toHaveLength(150)
    expect(rows[99]).toMatchObject({ id: all[99]!.id, status: 'sent again' })
    expect(more).toBe('none')
    expect(moved).toBe('1 new message isn’t shown in order.')
  })

  test.each([
    ['nothing of an unchanged one', [250, 250], 0, null],
    ['new messages by the repeats they cause', [250, 255, 262], 12, '12 new messages aren’t shown in order.'],
    ['new messages beside an equal total', [5_000, 5_000], 1, '1 new message isn’t shown in order.'],
    ['more than a page of them by the total', [250, 600], 0, '350 new messages aren’t shown in order.'],
    [
      'what may be missing once it shrank',
      [250, 240],
      0,
      '10 messages left the list while loading; some may be missing.',
    ],
  ])('tells %s', (_what, totals, again, text) => expect(movedText(totals, again)).toBe(text))

  test('ends correctly when the service sends shorter pages than requested', () => {
    const all = ordinaryMessages(120)
    const pages = [0, 50, 100].map((from) => ({
      items: all.slice(from, from + 50),
      campaigns: [],
      total: 120,
      freshness: live,
    }))
    expect(listOf(pages.slice(0, 2)).more).toBe('there')
    expect(listOf(pages)).toMatchObject({ more: 'none', total: 120 })
    expect(listOf(pages).rows).toHaveLength(120)
  })

  test('stops at its limit', () => {
    const all = ordinaryMessages(6_000)
    const pages = Array.from({ length: 50 }, (_page, at) => ({
      items: all.slice(at * 100, at * 100 + 100),
      campaigns: [],
      total: 6_000,
      freshness: live,
    }))
    expect(listOf(pages).more).toBe('full')
  })

  test('is as old as its oldest page', () => {
    const kept = {
      asOf: '2026-11-20T12:00:00.000Z',
      source: 'cache' as const,
      error: { code: 'X', acted: 'no' as const, data: {} },
    }
    const items = ordinaryMessages(100)
    const pages = [live, kept, live].map((freshness) => ({ items, campaigns: [], total: 300, freshness }))
    expect(listOf(pages).freshness).toEqual(kept)
  })

  test('filters by text, by digits in any notation, and by status, including none', () => {
    const rows = [
      aMessage({ id: 'a', to: '+49 171 123', body: 'Grüße', status: 'pending' }),
      aMessage({ id: 'b', to: '+15552', body: 'Hello', status: null }),
    ].map((one) => listedRow(one))
    const ids = (text: string, statuses: (string | null)[] = []) =>
      filterRows(rows, { text, statuses, held: false }, () => false).map(({ id }) => id)
    expect(ids('grüsse')).toEqual([])
    expect(ids('GRÜ')).toEqual(['a'])
    expect(ids('49171')).toEqual(['a'])
    expect(ids('', [null])).toEqual(['b'])
    expect(ids('hello', ['pending'])).toEqual([])
    expect(rows.map(canRelease)).toEqual([true, true])
  })

  const longAgo = '2026-11-21T10:00:00.000Z'
  test.each([
    ['queued', 'paused', false],
    ['queued', 'running', false],
    ['pending', 'cancelled', false],
    ['on hold', 'paused', false],
    ['on hold', 'running', true],
    ['queued', 'completed', true],
  ])('judges one that is %s by its campaign, which is %s: %s', (status, campaign, isHeld) => {
    const row = listedRow(aMessage({ id: 'a', status, createdAt: longAgo }), { id: 'c', status: campaign })
    expect(isLikelyHeld(row, live.asOf)).toBe(isHeld)
  })

  test.each([
    ['pending', '2026-11-21T11:54:59.000Z', true],
    ['queued', '2026-11-21T11:59:30.000Z', false],
    ['pending', null, false],
    ['on hold', '2026-11-21T11:59:59.000Z', true],
    ['submitted', longAgo, false],
    ['Sent', longAgo, false],
    ['cancelled', longAgo, false],
    ['Scheduled', longAgo, false],
    ['paused', longAgo, false],
    ['draft', longAgo, false],
  ])('takes one that is %s since %s for held: %s', (status, createdAt, isHeld) => {
    const row = listedRow(aMessage({ id: 'a', status, createdAt }))
    expect(isLikelyHeld(row, live.asOf)).toBe(isHeld)
    const filter = { text: '', statuses: [], held: true }
    expect(filterRows([row], filter, (one) => isLikelyHeld(one, live.asOf))).toHaveLength(isHeld ? 1 : 0)
  })
})

describe('a release', () => {
  const nothingAgainst = { etaMs: 0, unknown: [], blocked: [], withoutNumber: 0, dncList: { state: 'fresh' } }
  const clientOf = (release: () => Promise<unknown>) =>
    ({
      messages: { planRelease: () => Promise.resolve(nothingAgainst), release },
      tasks: {},
    }) as never

  test('confirmed twice at once is requested once', async () => {
    let asked = 0
    const release = createReleaseMessages(
      clientOf(() => {
        asked++
        return Promise.resolve(aRelease({ messageId: 'a' }))
      }),
      () => {},
    )
    await release.ask([{ id: 'a', to: null }])
    await Promise.all([release.confirm(undefined, false), release.confirm(undefined, false)])
    expect(asked).toBe(1)
    expect(release.question.about).toBeNull()
    expect(release.single.value).toMatchObject({ messageId: 'a', state: 'released' })
  })

  test.each([
    ['ended in a lost connection', new DisconnectedError()],
    ['failed inside', new Error('gone')],
  ])('that %s may have started, so its question closes', async (_how, error) => {
    const release = createReleaseMessages(
      clientOf(() => Promise.reject(error)),
      () => {},
    )
    await release.ask([{ id: 'a', to: null }])
    await release.confirm(undefined, false)
    expect(release.question.about).toBeNull()
    expect(release.question.error).not.toBeNull()
  })
})

test('the palette finds a pasted id without its invisible characters', async () => {
  const [command] = await page.search('\u200b 0a1b2c3d-4e5f\u2069 ')
  expect(command?.title).toContain('0a1b2c3d-4e5f')
  expect(command?.title).not.toMatch(/\p{Cf}/u)
})
