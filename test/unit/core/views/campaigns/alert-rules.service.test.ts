import { expect, test } from 'vitest'
import {
  type AlertConditions,
  type AlertRuleMode,
  builtInRule,
} from '#contract/views/campaign-alert-rules.ts'
import type { Campaign, CampaignId } from '#contract/domain.ts'
import { AppError } from '#contract/errors.ts'
import { motionOf } from '#electron/core/views/campaigns/campaign-motion.ts'
import { createAlertRulesRepository } from '#electron/core/views/campaigns/alert-rules.repository.ts'
import { createAlertRulesService } from '#electron/core/views/campaigns/alert-rules.service.ts'
import type { FoundEntry } from '#electron/core/people/dnc/team-entries.ts'
import { createSharedValues } from '#electron/core/people/team/shared-values.ts'
import type { NewNote } from '#electron/core/platform/notifications/notifications.service.ts'
import { ofRepeatedNames } from '../../../../../renderer/src/features/campaigns/alert-rules.ts'
import { createFakeClock } from '../../../../helpers/fake-clock.ts'
import { quietLog } from '../../../../helpers/quiet-log.ts'
import { ordinaryCampaigns } from '../../../../helpers/scripted-answers.ts'
import { openState } from './open-state.ts'

const errorShare = { code: 2, percent: 20, minReports: 10, minutes: 10 }
const rules: AlertConditions = { failedShare: null, stalled: null, errorShare }
const some = (count: number): Campaign[] =>
  Array.from({ length: count }, (_item, at) => ({
    ...ordinaryCampaigns()[0]!,
    id: `c-${at}` as CampaignId,
    status: 'running',
  }))

/** Rules whose pauses stay unconfirmed until a reading. */
function aService(
  read: (id: CampaignId) => Promise<Campaign>,
  {
    connectionId = 'c-1',
    /** Who pauses first. */
    colleague = null as string | null,
    db = openState(),
    pauses = false,
    /** Where a pause stays without an answer; null if it gets one. */
    stuck = null as 'deciding' | 'sent' | null,
    /** The running campaigns as last read, and whether that was within the current period. */
    running = null as Campaign[] | null,
    isFresh = true,
  } = {},
) {
  const notes: NewNote[] = []
  const clock = createFakeClock()
  let shares = 0
  const shared = createSharedValues(db, clock)
  const alertRules = createAlertRulesService({
    repository: createAlertRulesRepository(db),
    shared,
    connection: () => ({ production: false, name: 'Test', id: connectionId }) as never,
    motion: () => motionOf([], clock.now()),
    lastRunning: () => running && { items: running, atMs: 0 },
    freshRunning: () => (isFresh && running ? { items: running } : null),
    reportShare: () => {
      shares++
      return { reports: 100, withCode: 50, newestOf: null }
    },
    pause(_id, _by, onSend) {
      if (colleague !== null) return Promise.reject(new AppError('CAMPAIGN_ALREADY_PAUSED'))
      if (stuck !== 'deciding') onSend?.()
      if (stuck !== null) return new Promise(() => {})
      if (pauses) return Promise.resolve({} as never)
      return Promise.reject(new AppError('OUTCOME_UNKNOWN'))
    },
    read,
    onSet: () => {},
    onChange: () => {},
    act: async (_what, work) => {
      if (colleague === null) await work()
      return colleague
    },
    notify: (one) => void notes.push(one),
    clock,
    log: quietLog,
  })
  return { alertRules, clock, shares: () => shares, notes, db, shared }
}

/** A rule that a colleague set, or removed, as an entry of the log. */
function ruleOf(author: string, clockMs: number, mode: AlertRuleMode | null, key = 'c-0'): FoundEntry {
  const value = { kind: 'value', of: 'alert-rule', key, value: mode && { mode, rules } } as const
  const entry = { ...value, id: `v-${clockMs}`, clockMs, author, atMs: clockMs }
  return { entry, isProven: true, text: JSON.stringify(entry), read: { digits: null, readings: [] } }
}

const unreadable = () => Promise.reject(new AppError('BAD_ANSWER'))

test('notifies once per campaign, pauses nothing, and looks up the share of all traffic once per reading', async () => {
  const { alertRules, clock, shares, notes } = aService(unreadable)
  alertRules.set({ campaignId: null, mode: 'notify', rules })
  const anyCode = { ...rules, errorShare: { ...errorShare, code: null } }
  alertRules.set({ campaignId: 'c-1', mode: 'notify', rules: anyCode })
  for (let reading = 1; reading <= 2; reading++) {
    await alertRules.judge(some(20), clock.now())
    expect(shares()).toBe(2 * reading)
  }
  await alertRules.settled()
  expect(notes).toHaveLength(20)
  const trips = alertRules.trips({ limit: 100 })
  expect(trips).toHaveLength(20)
  for (const trip of trips) expect(trip).toMatchObject({ times: 2, pause: null })
})

test('a colleague’s auto-pause only notifies here, says so once, and pauses after someone turns it on', async () => {
  const { alertRules, clock, notes, shared } = aService(unreadable)
  for (const clockMs of [1, 2]) shared.team.take([ruleOf('Ana', clockMs, 'armed')])
  expect(notes).toMatchObject([{ text: 'armedByColleague', values: { name: 'Ana', rule: 'c-0' } }])
  expect(alertRules.of('c-0')).toMatchObject({ mode: 'notify', armedBy: 'Ana' })
  await alertRules.judge(some(1), clock.now())
  expect(alertRules.trips({ limit: 1 })).toMatchObject([{ mode: 'notify', pause: null }])
  alertRules.set({ campaignId: 'c-0', mode: 'armed', rules })
  shared.team.take([ruleOf('Ana', clock.now() + 1, 'armed')])
  expect(alertRules.of('c-0')).toMatchObject({ mode: 'armed', armedBy: null })
  await alertRules.judge(some(1), clock.now())
  await alertRules.settled()
  expect(alertRules.trips({ limit: 1 })).toMatchObject([{ pause: { state: 'sent' } }])
  expect(notes.filter(({ text }) => text === 'armedByColleague')).toHaveLength(1)
})

test.each([
  ['pauses by reports a running campaign read in this period', true, 'sent'],
  ['pauses nothing by reports before the reading after a sleep or an outage', false, undefined],
])('%s', async (_what, isFresh, state) => {
  const { alertRules } = aService(unreadable, { running: some(1), isFresh })
  alertRules.set({ campaignId: 'c-0', mode: 'armed', rules })
  alertRules.judgeReports()
  await alertRules.settled()
  expect(alertRules.trips({ limit: 1 })[0]?.pause?.state).toBe(state)
})

const defaultRule = { key: 'alertRule.default' }
test.each([
  ['turns off a rule', { 'c-0': 'armed' }, 'c-0', 'notify', ['disarmedByColleague', 'c-0']],
  ['removes a rule', { 'c-0': 'armed' }, 'c-0', null, ['disarmedByColleague', 'c-0']],
  ['removes a rule beside an armed default rule', { '': 'armed', 'c-0': 'armed' }, 'c-0', null, null],
  ['sets a rule that replaces it', { '': 'armed' }, 'c-0', 'notify', ['disarmedByColleague', 'c-0']],
  ['arms a rule that replaces it', { '': 'armed' }, 'c-0', 'armed', ['armedByColleague', 'c-0']],
  ['turns it off', { '': 'armed', 'c-0': 'armed' }, '', 'off', ['disarmedByColleague', defaultRule]],
  ['turns off a rule that is not armed here', { 'c-0': 'notify' }, 'c-0', 'off', null],
] as const)('notifies of what no longer pauses here when a colleague %s', (_what, here, key, mode, note) => {
  const { alertRules, clock, notes, shared } = aService(unreadable)
  for (const [id, own] of Object.entries(here)) alertRules.set({ campaignId: id || null, mode: own, rules })
  shared.team.take([ruleOf('Ana', clock.now() + 1, mode, key)])
  expect(notes.map(({ text, values }) => [text, values!['rule']])).toEqual(note === null ? [] : [note])
})

test('shows which colleague’s rule paused a campaign, also where no rule triggered', async () => {
  const { alertRules, clock, shared } = aService(unreadable, { pauses: true })
  const value = { kind: 'value', of: 'auto-pause', key: 'c-0', value: 'Offer' } as const
  const entry = { ...value, id: 'v-1', clockMs: 1, author: 'Ana', atMs: 60_000 }
  shared.team.take([{ ...ruleOf('Ana', 1, 'off'), entry, text: JSON.stringify(entry) }])
  expect(alertRules.pausedBy('c-0')).toEqual({ name: 'Ana', at: '1970-01-01T00:01:00.000Z' })
  alertRules.set({ campaignId: null, mode: 'armed', rules })
  await alertRules.judge(some(1), clock.now())
  await alertRules.settled()
  expect(shared.get('auto-pause', 'c-0')).toMatchObject({ value: some(1)[0]!.name, author: null })
  expect(alertRules.pausedBy('c-0')).toBeNull()
})

test('a rule that an earlier version couldn’t read counts after the upgrade, and one that paused stays off', async () => {
  const db = openState()
  createSharedValues(db, createFakeClock()).team.take([ruleOf('Ana', 1, 'notify')])
  const { alertRules, clock } = aService(unreadable, { db })
  expect(alertRules.of('c-0')).toMatchObject({ mode: 'notify', rules })
  alertRules.set({ campaignId: 'c-0', mode: 'armed', rules })
  await alertRules.judge(some(1), clock.now())
  await alertRules.settled()
  const disarmedAt = expect.any(String) as string
  expect(aService(unreadable, { db }).alertRules.of('c-0')).toMatchObject({
    mode: 'notify',
    disarmedAt,
  })
})

test('a rule that an earlier version couldn’t read is asked about where it replaces an armed default rule', () => {
  const db = openState()
  createAlertRulesRepository(db).put(null, 'armed', rules, 0)
  const found = [1, 2].map((clockMs) => ruleOf('Ana', clockMs, 'armed'))
  createSharedValues(db, createFakeClock()).team.take(found)
  expect(aService(unreadable, { db }).notes).toMatchObject([{ text: 'armedByColleague' }])
})

test('finds the outcome of other pauses when one campaign can’t be read', async () => {
  const { alertRules, clock } = aService((id) =>
    id === 'c-0' ? unreadable() : Promise.resolve({ ...some(2)[1]!, status: 'paused' }),
  )
  alertRules.set({ campaignId: null, mode: 'armed', rules })
  await alertRules.judge(some(2), clock.now())
  await alertRules.settled()
  await alertRules.judge([], clock.now())
  const states = Object.fromEntries(
    alertRules.trips({ limit: 10 }).map(({ campaignId, pause }) => [campaignId, pause?.state]),
  )
  expect(states).toEqual({ 'c-0': 'sent', 'c-1': 'paused' })
})

test.each([
  ['deciding', 'not-sent', 'armed'],
  ['sent', 'sent', 'notify'],
] as const)(
  'a pause that Switchboard quit during (%s) is %s, and the rule is then %s',
  async (stuck, state, mode) => {
    const db = openState()
    const { alertRules, clock } = aService(unreadable, { db, stuck })
    alertRules.set({ campaignId: 'c-0', mode: 'armed', rules })
    await alertRules.judge(some(1), clock.now())
    const next = aService(unreadable, { db }).alertRules
    expect(next.trips({ limit: 1 })).toMatchObject([{ pause: { state } }])
    expect(next.of('c-0')).toMatchObject({ mode })
  },
)

test('reads no outcome of a pause that is still in progress', async () => {
  const [campaign] = some(1)
  const { alertRules, clock } = aService(() => Promise.resolve(campaign!), { stuck: 'sent' })
  alertRules.set({ campaignId: null, mode: 'armed', rules })
  for (let reading = 0; reading < 2; reading++) await alertRules.judge([campaign!], clock.now())
  expect(alertRules.trips({ limit: 1 })).toMatchObject([{ pause: { state: 'sent' } }])
})

test('notifies again when a resumed campaign fails soon after its auto-pause', async () => {
  const [campaign] = some(1)
  const { alertRules, clock, notes } = aService(() => Promise.resolve({ ...campaign!, status: 'paused' }))
  alertRules.set({ campaignId: null, mode: 'armed', rules })
  for (const running of [[campaign!], [], [campaign!], [campaign!]]) {
    await alertRules.judge(running, clock.now())
    await alertRules.settled()
  }
  expect(notes.map(({ text }) => text)).toEqual(['pausedLater', 'alert'])
})

test('watches for failing campaigns until the operator turns the default rule off', async () => {
  const { alertRules, clock, notes } = aService(unreadable)
  const failing = { ...some(1)[0]!, sentCount: 100, failedCount: 10 }
  await alertRules.judge([failing, { ...some(2)[1]!, sentCount: 99, failedCount: 99 }], clock.now())
  expect(notes).toMatchObject([{ text: 'failing', link: { path: '/campaigns?id=c-0' } }])
  expect(alertRules.list()).toEqual([builtInRule])
  expect(alertRules.active()).toBe(false)
  alertRules.set({ ...builtInRule, mode: 'off' })
  await alertRules.judge([failing], clock.now())
  expect(alertRules.triggered()).toBe(0)
  expect(alertRules.list()).toMatchObject([{ mode: 'off' }])
})

test('gives alerts of two connections different keys', async () => {
  const seen: (string | undefined)[] = []
  for (const connectionId of ['c-1', 'c-2']) {
    const { alertRules, clock, notes } = aService(unreadable, { connectionId })
    alertRules.set({ campaignId: null, mode: 'notify', rules })
    await alertRules.judge(some(1), clock.now())
    seen.push(...notes.flatMap(({ key, group }) => [key, group]))
  }
  expect(new Set(seen).size).toBe(4)
})

test('adds the id to a notification only if two campaigns share their name', async () => {
  const { alertRules, clock, notes } = aService(unreadable)
  alertRules.set({ campaignId: null, mode: 'notify', rules })
  const [first, second, third] = some(3)
  await alertRules.judge([first!, second!, { ...third!, name: 'Alone' }], clock.now())
  expect(notes.map(({ text, values }) => [text, values!['campaign']])).toEqual([
    ['alert', `${first!.name} (c-0)`],
    ['alert', `${first!.name} (c-1)`],
    ['alert', 'Alone'],
  ])
})

test('the log shows ids only for campaigns that share their name', () => {
  const trip = (campaignId: string, title: string) => ({ campaignId, title })
  const trips = [trip('c-0', 'Same'), trip('c-1', 'Same'), trip('c-2', 'Alone'), trip('c-2', 'Alone')]
  expect(ofRepeatedNames(trips)).toEqual(new Set(['c-0', 'c-1']))
})

test('names the colleague whose computer paused a campaign, and leaves the post to it', async () => {
  const { alertRules, clock, notes } = aService(unreadable, { colleague: 'Ben' })
  alertRules.set({ campaignId: null, mode: 'armed', rules })
  await alertRules.judge(some(1), clock.now())
  await alertRules.settled()
  expect(alertRules.trips({ limit: 1 })[0]!.pause).toMatchObject({
    state: 'already-paused',
    words: { key: 'alertRule.byColleague', name: 'Ben' },
  })
  let posts = 0
  expect(await notes[0]!.post!('endpoint', () => posts++)).toBe('Ben')
  expect(posts).toBe(0)
})
