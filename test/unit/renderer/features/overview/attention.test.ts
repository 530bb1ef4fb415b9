import { expect, test } from 'vitest'
import type { RelayStatus } from '#contract/live/listener.ts'
import type { Status } from '#contract/connection/status.ts'
import type { Task } from '#contract/platform/tasks.ts'
import { attentionItems } from '../../../../../renderer/src/features/overview/attention.ts'
import type { AttentionInput } from '../../../../../renderer/src/features/overview/attention-item.ts'
import { errorView } from '../../../../../renderer/src/rpc/error-view.ts'
import { ordinaryStatus } from '../../../../helpers/scripted-answers.ts'
import { idleDrain, outboxCounts } from '../../../../helpers/scripted/outbox.ts'
import { aTrip } from '../../../../helpers/scripted/campaigns.ts'
import { relayStatus } from '../../../../helpers/relay-status.ts'

const nowMs = Date.parse('2026-01-05T12:00:00Z')
const at = (time: string) => `2026-01-05T${time}:00Z`
const allRead = {
  entries: 237,
  kept: 0,
  unreadable: 0,
  unreadableHolds: 0,
  teamReadAt: null,
  waits: null,
  withoutCountry: 0,
}
const healthy: AttentionInput = {
  status: ordinaryStatus(),
  outbox: idleDrain(),
  stuck: null,
  dncList: { state: 'fresh', asOf: at('11:00'), sync: null, ...allRead },
  holds: { items: [], total: 0 },
  possibleOptOuts: 0,
  quarantined: 0,
  rules: { alertRules: [], watch: { problem: null, readAt: at('12:00') }, trips: [], resumed: [] },
  pauses: [],
  gaps: [],
  recovery: [],
  tasks: [],
  nowMs,
}
const itemsOf = (of: Partial<AttentionInput>) => attentionItems({ ...healthy, ...of })
const withStatus = (of: Partial<Status>) => itemsOf({ status: { ...healthy.status, ...of } })
const withListener = (of: Partial<Status['listener']>, rest: Partial<AttentionInput> = {}) =>
  itemsOf({
    ...rest,
    status: { ...healthy.status, listener: { ...healthy.status.listener, ...of } },
  })
const openGap = { from: at('11:50'), to: null, durationMs: 600_000, proven: true, reason: 'port-taken' }

test('lists nothing while all is well or nothing is known yet', () => {
  expect(itemsOf({})).toEqual([])
  expect(itemsOf({ outbox: null, dncList: null, holds: null, rules: null })).toEqual([])
})

test('lists campaigns that may still be sending although they were to be paused', () => {
  const pauses = ['Autumn', 'Spring'].map((title) => ({ outcome: { title, kind: 'unknown' as const } }))
  const command = 'campaigns.pause-again'
  expect(itemsOf({ pauses: pauses.slice(1) })).toMatchObject([
    { tone: 'bad', text: 'Pause of Spring unconfirmed', detail: 'It may still be sending.' },
  ])
  expect(itemsOf({ pauses })).toMatchObject([
    {
      text: '2 campaigns may still be sending',
      detail: 'Autumn, Spring',
      action: { command },
      also: [{ command: 'campaigns.dismiss-pauses' }],
    },
  ])
})

test('says once what an alarm’s open gap is about', () => {
  const silence = { kind: 'no-reports', since: at('11:50'), sent: 90, subscriptionId: null } as const
  const gap = { ...openGap, reason: 'no-reports' }
  expect(withListener({ silence }, { gaps: [gap] }).map(({ id }) => id)).toEqual(['silence'])
})

test('lists deliveries that can’t be read, because they may hold opt-outs', () => {
  expect(itemsOf({ quarantined: 1 })).toMatchObject([
    { id: 'quarantined', tone: 'warn', text: '1 delivery of the last day can’t be read' },
  ])
  expect(itemsOf({ quarantined: 22 })).toMatchObject([
    { text: '22 deliveries of the last day can’t be read', action: { to: '/events?kind=quarantined' } },
  ])
})

test('lists a relay that is refused or unreachable, as an error only when nothing else receives', () => {
  const relay = relayStatus({ state: 'refused', refusal: 'revoked', received: 0, webhookUrl: null })
  const away: RelayStatus = { ...relay, state: 'unreachable', refusal: null }
  expect(withListener({ relay })).toMatchObject([{ tone: 'bad', text: 'Relay token revoked' }])
  expect(withListener({ relay: away })).toMatchObject([{ tone: 'warn', text: 'Relay unreachable' }])
  const alone = withListener({ relay: away, url: null, state: 'failed' }, { gaps: [openGap] })
  expect(alone).toMatchObject([{ id: 'relay', tone: 'bad', since: openGap.from }])
})

test('puts every blocking problem before warnings', () => {
  const items = itemsOf({
    status: {
      ...healthy.status,
      session: { state: 'expired', problem: null, endsAt: null },
      budget: { ...healthy.status.budget!, pausedUntil: at('12:01') },
    },
    outbox: idleDrain({
      state: 'stopped',
      problem: errorView('DISK_FULL'),
      counts: outboxCounts({ unknown: 1 }),
    }),
    dncList: { state: 'stale', asOf: at('02:00'), sync: null, ...allRead },
  })
  expect(items.map(({ id, tone }) => [id, tone])).toEqual([
    ['session', 'bad'],
    ['outbox', 'bad'],
    ['limit', 'warn'],
    ['unconfirmed', 'warn'],
    ['dnc', 'warn'],
  ])
})

test('ends a rate limit at its time, even if the next status is late', () => {
  const limited = (pausedUntil: string) =>
    itemsOf({ status: { ...healthy.status, budget: { ...healthy.status.budget!, pausedUntil } } })
  expect(limited(at('12:01'))).toMatchObject([{ id: 'limit', detail: expect.stringContaining('1 min') }])
  expect(limited(at('12:00'))).toEqual([])
})

test('says why the listener receives nothing, and since when', () => {
  const problem = errorView('PORT_TAKEN', { port: 8787 })
  expect(withListener({ state: 'failed', problem }, { gaps: [openGap] })).toEqual([
    expect.objectContaining({
      text: 'Port 8787 is in use by another program',
      detail: expect.stringMatching(/^No events can arrive/),
      since: openGap.from,
      action: { label: 'Listener settings', to: '/settings?section=listener' },
    }),
  ])
  expect(withListener({ state: 'stopped' })).toMatchObject([{ text: 'The listener is stopped', since: null }])
  expect(withListener({}, { gaps: [{ ...openGap, reason: 'moved' }] })).toMatchObject([
    { text: 'No events can arrive', detail: 'Cause: listener moved', action: { to: '/webhooks' } },
  ])
  expect(withListener({ state: 'starting' })).toEqual([])
})

test('says that nothing arrives although it should, and how to find out', () => {
  const silence = { kind: 'no-reports', since: at('11:50'), sent: 1_204, subscriptionId: 's/1' } as const
  expect(withListener({ silence })).toMatchObject([
    {
      tone: 'bad',
      text: 'No delivery reports arrive',
      detail: '1,204 messages were sent without one.',
      since: silence.since,
      action: { label: 'Test', to: '/webhooks?test=s%2F1' },
    },
  ])
  const none = { kind: 'no-subscription', since: null, sent: 0, subscriptionId: null } as const
  expect(withListener({ silence: none, withoutSecret: true })).toMatchObject([
    {
      tone: 'warn',
      also: [{ label: 'New subscription', to: '/webhooks?subscribe=1' }],
      action: { label: 'Add secret' },
    },
  ])
})

test('reports rejected deliveries and signing secrets', () => {
  expect(withListener({ refusedLastMinute: 140, lastRefusalReason: 'signature-mismatch' })).toMatchObject([
    { text: '140 deliveries rejected in the last minute', detail: 'Last: wrong signature' },
  ])
  expect(withListener({ withoutSecret: true })).toMatchObject([
    {
      text: 'Subscribe to receive events',
      also: [{ label: 'New subscription' }],
      action: { label: 'Add secret' },
    },
  ])
  expect(withListener({ secretsNotKnown: ['Service'] })).toMatchObject([
    { text: '1 signing secret can’t be read', detail: 'Deliveries signed with the others are accepted.' },
  ])
  // A subscription exists.
  expect(withListener({ withoutSecret: true, secretsNotKnown: ['Service'] })).toMatchObject([
    { text: '1 signing secret can’t be read', detail: 'Signed deliveries are rejected.' },
  ])
})

test('says what a restart without a keychain lost, once', () => {
  const problem = { code: 'KEYCHAIN_NO_BUS', acted: 'no' as const, data: {} }
  const lost = { problem, withoutSecret: true, secretsNotKnown: ['Service'] }
  const text = 'The signing secrets were lost when Switchboard restarted'
  expect(withListener(lost)).toMatchObject([
    { tone: 'bad', text, also: [{ label: 'New subscription' }], action: { label: 'Add secret' } },
  ])
  const session = {
    state: 'signed-out' as const,
    problem: errorView('SIGN_IN_LOST', { at: { time: '2026-11-29T12:02:00Z' } }),
    endsAt: null,
  }
  const signIn = {
    tone: 'bad',
    text: expect.stringMatching(/^Switchboard restarted on 29 Nov, \d\d:\d\d and lost your sign-in/),
    detail: 'Sign in again to receive events.',
    action: { label: 'Sign in' },
  }
  const listener = { ...healthy.status.listener, ...lost }
  expect(withStatus({ session, listener })).toMatchObject([
    { text, action: { label: 'Listener settings' } },
    signIn,
  ])
  expect(
    withStatus({ session, listener: { ...listener, problem: null, secretsNotKnown: [] } }),
  ).toMatchObject([signIn])
})

test('reports a service that can’t be reached and a sign-in that ends soon', () => {
  expect(
    withStatus({ network: { reachable: false, lastAnswerAt: at('11:58'), problem: null } }),
  ).toMatchObject([{ id: 'network', tone: 'bad', since: at('11:58') }])
  const session = { state: 'signed-in' as const, problem: null }
  expect(withStatus({ session: { ...session, endsAt: at('14:00') } })).toMatchObject([
    { text: 'Sign-in expires in 2 h', action: { to: '/connect?id=c-prod' } },
  ])
})

test('reports database damage, and leaves minor notifications to the bell', () => {
  const damage = errorView('STORAGE_DAMAGED', {
    file: 'state.db',
    asideFile: 'state.db.corrupt-1',
    lost: 'The outbox was lost.',
  })
  expect(
    withStatus({
      notices: [
        { id: 'restart', severity: 'warning', error: errorView('CORE_RESTARTED') },
        { id: 'damage', severity: 'error', error: damage },
      ],
    }),
  ).toMatchObject([
    {
      id: 'notice/damage',
      text: 'A database was damaged (state.db) and set aside as state.db.corrupt-1',
      detail: 'The outbox was lost. Nothing else was affected.',
    },
  ])
})

test('reports requests that need a decision, with the oldest time', () => {
  const stuck = {
    unconfirmedSince: at('10:30'),
    rejected: 3_000,
    rejectedSince: at('10:45'),
    notSent: 2,
    notSentSince: at('10:50'),
  }
  const outbox = idleDrain({ counts: outboxCounts({ unknown: 2, blocked: 3, rejected: 3_500 }) })
  expect(itemsOf({ outbox, stuck })).toMatchObject([
    {
      text: '2 requests are unconfirmed',
      detail: '3 more are waiting.',
      since: at('10:30'),
      action: { to: '/outbox?state=unknown' },
    },
    {
      text: 'The service rejected 3,000 requests',
      since: at('10:45'),
      action: { to: '/outbox?state=rejected' },
    },
    {
      text: '2 requests were skipped',
      detail: 'On the DNC list or on hold, in the last 24 hours',
      since: at('10:50'),
      action: { to: '/outbox?state=not-sent,held' },
    },
  ])
})

test('reports a stopped or waiting outbox with its cause, and a paused one only while requests wait', () => {
  const stopped = idleDrain({ state: 'stopped', problem: errorView('DISK_FULL') })
  expect(itemsOf({ outbox: stopped })).toMatchObject([{ tone: 'bad', text: 'The disk is full' }])
  const waiting = idleDrain({ state: 'waiting', problem: errorView('SENDS_WAIT_FOR_INBOUND') })
  expect(itemsOf({ outbox: waiting })).toMatchObject([{ tone: 'warn', action: { to: '/outbox' } }])
  expect(itemsOf({ outbox: idleDrain({ state: 'paused' }) })).toEqual([])
  expect(
    itemsOf({ outbox: idleDrain({ state: 'paused', counts: outboxCounts({ queued: 7 }) }) }),
  ).toMatchObject([{ text: 'The outbox is paused with 7 requests waiting' }])
})

test('reports alert rules that are triggered now, and pauses of the last day', () => {
  const trip = aTrip({ campaignId: 'c1', title: 'North', firstAt: at('11:40'), lastAt: at('11:59') })
  const pause = { state: 'paused' as const, decidedAt: at('11:41'), settledAt: at('11:42'), words: null }
  const itemsOfTrip = (of: object) =>
    itemsOf({ rules: { ...healthy.rules!, trips: [{ ...trip, ...of }] } }).map(({ tone, text, since }) => [
      tone,
      text,
      since,
    ])
  expect(itemsOfTrip({})).toEqual([['bad', 'North is failing', at('11:40')]])
  expect(itemsOfTrip({ clearedAt: at('11:59') })).toEqual([])
  expect(itemsOfTrip({ clearedAt: at('11:59'), pause })).toEqual([
    ['warn', 'Alert rule paused North', at('11:42')],
  ])
  expect(itemsOfTrip({ clearedAt: at('11:59'), pause: { ...pause, state: 'unknown' } })).toEqual([
    ['bad', 'Auto-pause of North may have failed', at('11:41')],
  ])
  const paused = (id: number, of: object = {}) => ({ ...trip, id, clearedAt: at('11:59'), pause, ...of })
  const trips = [
    paused(3, { pause: { ...pause, settledAt: at('11:50') } }),
    paused(2),
    paused(1, { rule: 'stalled' }),
  ]
  const repeated = itemsOf({ rules: { ...healthy.rules!, trips } })
  expect(repeated.map(({ text, since }) => [text, since])).toEqual([
    ['Alert rule paused North 2 times', at('11:50')],
    ['Alert rule paused North', at('11:42')],
  ])
  const old = '2026-01-03T11:41:00Z'
  expect(itemsOfTrip({ clearedAt: old, pause: { ...pause, decidedAt: old } })).toEqual([])
})

test('reports a campaign that runs again after a confirmed pause', () => {
  const resumed = [{ campaignId: 'c1', title: 'North', endedAt: at('11:42') }]
  expect(itemsOf({ rules: { ...healthy.rules!, resumed } })).toMatchObject([
    { tone: 'bad', text: 'North is running again', since: at('11:42'), action: { to: '/campaigns?id=c1' } },
  ])
  const both = [...resumed, { campaignId: 'c2', title: 'South', endedAt: at('11:40') }]
  expect(itemsOf({ rules: { ...healthy.rules!, resumed: both } })).toMatchObject([
    { text: '2 campaigns run again after their pause', detail: 'North, South', since: at('11:40') },
  ])
})

test('reports rules that can’t be checked, unless the service itself is the problem', () => {
  const rules = {
    alertRules: [{ mode: 'armed' }],
    watch: { problem: errorView('RATE_LIMITED', { retryInSeconds: 9 }), readAt: at('11:50') },
    trips: [],
    resumed: [],
  }
  expect(itemsOf({ rules })).toMatchObject([
    { text: 'Alert rules can’t be checked', detail: 'Rate limit reached', since: at('11:50') },
  ])
  expect(itemsOf({ rules: { ...rules, alertRules: [{ mode: 'off' }] } })).toEqual([])
  const network = { reachable: false, lastAnswerAt: null, problem: null }
  expect(itemsOf({ rules, status: { ...healthy.status, network } })).toMatchObject([{ id: 'network' }])
  const problem = errorView('SERVICE_FAILED')
  expect(withStatus({ network: { ...network, problem } })).toMatchObject([
    { id: 'network', text: 'The service responds with errors only' },
  ])
})

test('reports ended gaps until their messages were looked up', () => {
  const gap = { ...openGap, to: at('11:55'), durationMs: 300_000 }
  const recovery = [{ from: gap.from, open: { value: 25, atLeast: false }, run: null }]
  expect(itemsOf({ gaps: [gap], recovery })).toMatchObject([
    {
      text: 'Gap of 5 min',
      detail: 'Replies in this time may be lost, opt-outs among them. 25 messages may be missing a report.',
      since: gap.from,
    },
  ])
  const run = {
    id: 'r',
    taskId: 't',
    startedAt: at('11:56'),
    endedAt: null,
    read: 0,
    byStatus: [],
    notFound: 0,
    unreadable: 0,
    unreadableIds: [],
  }
  expect(itemsOf({ gaps: [gap], recovery: [{ ...recovery[0]!, run }] })).toEqual([])
})

test('reports a DNC list that can’t clear a number, unless a sync runs, and holds to export', () => {
  const partial = { state: 'partial' as const, asOf: at('09:00'), ...allRead }
  expect(itemsOf({ dncList: { ...partial, sync: null } })).toMatchObject([
    { text: 'The DNC list is incomplete', since: at('09:00'), action: { command: 'dnc.sync' } },
  ])
  const sync = { taskId: 't', state: 'running' as const, pagesDone: 1, pagesTotal: 9, problem: null }
  expect(itemsOf({ dncList: { ...partial, sync } })).toEqual([])
  const team = { ...healthy.dncList!, state: 'team-stale' as const, teamReadAt: at('08:00') }
  expect(itemsOf({ dncList: team })).toMatchObject([{ since: at('08:00'), action: { to: '/team' } }])
  expect(
    itemsOf({ holds: { items: [{ since: at('11:00') }, { since: at('10:00') }], total: 2 } }),
  ).toMatchObject([
    { text: '2 holds not exported', detail: expect.stringContaining('opted out'), since: at('10:00') },
  ])
})

test('reports what can’t be read, and where to choose the country', () => {
  const dncList = { ...healthy.dncList!, unreadable: 3, unreadableHolds: 1, withoutCountry: 2 }
  expect(itemsOf({ dncList })).toMatchObject([
    {
      text: 'Choose the country of national numbers',
      detail: '2 numbers can’t be read without it.',
      action: { to: '/settings?section=numbers' },
    },
    { text: '3 DNC entries can’t be read', action: { to: '/dnc?which=unreadable' } },
    { text: '1 hold can’t be applied', action: { to: '/dnc?tab=holds' } },
  ])
  expect(itemsOf({ dncList: { ...healthy.dncList!, state: 'unreadable', unreadable: 3 } })).toMatchObject([
    { text: 'Too many entries of the DNC list can’t be read', action: { to: '/dnc?which=unreadable' } },
  ])
})

test('puts a DNC list that is suddenly empty first', () => {
  const dncList = { ...healthy.dncList!, kept: 237 }
  expect(
    itemsOf({ dncList, outbox: idleDrain({ state: 'stopped', problem: errorView('DISK_FULL') }) })[0],
  ).toMatchObject({
    tone: 'bad',
    text: 'The service’s DNC list is empty now; it had 237 entries.',
    action: { to: '/dnc' },
  })
})

test('reports interrupted and failed tasks', () => {
  const task = { id: 't', kind: 'import', subject: 'a.csv', createdAt: at('09:00'), endedAt: null }
  const tasks = [
    { ...task, state: 'interrupted' },
    { ...task, id: 'u', subject: 'b.csv', state: 'failed', endedAt: at('09:30') },
    { ...task, id: 'v', state: 'running' },
  ] as Task[]
  expect(itemsOf({ tasks })).toMatchObject([
    { text: '2 tasks need attention', since: at('09:00'), action: { command: 'app.tasks' } },
  ])
})

test('counts conversations that may be opt-outs, and opens them', () => {
  const [item] = itemsOf({ possibleOptOuts: 2 })
  expect(item).toMatchObject({
    tone: 'warn',
    text: '2 possible opt-outs',
    action: { to: '/inbox?show=possible-opt-outs' },
  })
})
