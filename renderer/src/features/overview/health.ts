import type { Guard } from '#contract/campaign-guards.ts'
import type { CampaignWatchState } from '#contract/campaigns.ts'
import type { DncCache } from '#contract/dnc.ts'
import type { OutboxDrain } from '#contract/outbox.ts'
import type { Status } from '#contract/status.ts'
import { formatCount, formatCounted } from '../../shared/format/numbers.ts'
import type { StatusLook } from '../../shared/format/status.ts'
import { formatAge, formatDuration, formatForecast } from '../../shared/format/time.ts'

/** One part of the connection: how it is in a word, what there is to say of it, and where more is. */
export interface HealthRow {
  name: string
  look: StatusLook
  text: string
  to: string | null
}

const ok = (label: string): StatusLook => ({ tone: 'ok', icon: 'check', label })
const quiet = (label: string): StatusLook => ({ tone: 'quiet', icon: 'dot', label })
const warn = (label: string): StatusLook => ({ tone: 'warn', icon: 'warning', label })
const bad = (label: string): StatusLook => ({ tone: 'bad', icon: 'warning', label })

const sessionLooks: Record<Status['session']['state'], StatusLook> = {
  none: warn('Not signed in'),
  'signing-in': quiet('Signing in'),
  'signed-in': ok('Signed in'),
  expired: bad('Sign-in expired'),
  'signed-out': warn('Signed out'),
}

const drainLooks: Record<OutboxDrain['state'], StatusLook> = {
  sending: ok('Sending'),
  idle: quiet('Nothing to send'),
  paused: warn('Paused'),
  offline: warn('Offline'),
  'signed-out': warn('Waits for a sign-in'),
  'rate-limited': warn('Waits for the budget'),
  stopped: bad('Stopped'),
}

const listLooks: Record<DncCache['state'], StatusLook> = {
  fresh: ok('Up to date'),
  stale: warn('Too old'),
  partial: warn('Not whole'),
  never: warn('Never synced'),
}

/** The service and the way to it. A sign-in by password is said to end within its last day. */
export function serviceRows({ network, session, budget, secrets }: Status, nowMs: number): HealthRow[] {
  const answered = network.lastAnswerAt === null ? '' : `answered ${formatAge(network.lastAnswerAt, nowMs)}`
  const endsInMs = session.endsAt === null ? Infinity : Date.parse(session.endsAt) - nowMs
  const endsSoon = session.state === 'signed-in' && endsInMs < 86_400_000 && endsInMs > 0
  // A password was answered with the tokens that end; nothing shows that of a key until something is.
  const isUntried = session.state === 'signed-in' && session.endsAt === null && network.lastAnswerAt === null
  const rows: HealthRow[] = [
    {
      name: 'Service',
      look:
        network.reachable === null
          ? quiet('Not asked yet')
          : network.reachable
            ? ok('Reachable')
            : bad('Unreachable'),
      text: answered,
      to: null,
    },
    {
      name: 'Sign-in',
      look: isUntried ? quiet('Not tried yet') : endsSoon ? warn('Ends soon') : sessionLooks[session.state],
      text: isUntried
        ? 'the service has not answered since the connection was opened'
        : endsSoon
          ? `in ${formatDuration(endsInMs)}; sign in again before`
          : '',
      to: '/settings?section=connections',
    },
  ]
  if (budget) {
    const { usedByUs, usedByOthers, limitPerMinute, pausedForMs, remaining, resetInMs, queued } = budget
    const waiting = queued.operator + queued.live + queued.bulk
    const reset =
      usedByUs + usedByOthers > 0 && resetInMs > 0 ? `; reset in ${formatDuration(resetInMs)}` : ''
    rows.push({
      name: 'Requests',
      look:
        pausedForMs > 0
          ? warn(`Refused for ${formatDuration(pausedForMs)}`)
          : remaining < limitPerMinute / 10
            ? warn('Nearly used up')
            : ok(`${formatCount(remaining)} left`),
      text: `of ${formatCount(limitPerMinute)} a minute; ${formatCount(usedByUs)} ours, ${formatCount(usedByOthers)} others’${reset}${waiting > 0 ? `, ${formatCount(waiting)} waiting` : ''}`,
      to: null,
    })
  }
  rows.push({
    name: 'Secrets',
    look: secrets.kind === 'keychain' ? ok('In the keychain') : warn('In memory only'),
    text: secrets.kind === 'keychain' ? '' : 'until the console ends',
    to: null,
  })
  return rows
}

/** While it does nothing, though something is to go: it is held back, waits for an unknown outcome, or goes the next moment. */
function idleLook(counts: OutboxDrain['counts']): StatusLook {
  if (counts.queued + counts['in-flight'] > 0) return drainLooks.sending
  return counts['held-back'] > 0 ? quiet('Held back') : warn('Waiting for you')
}

/** What is to be sent, and what nobody knows the outcome of. */
export function outboxRow({ state, counts, etaMs, problem }: OutboxDrain): HealthRow {
  const open = counts['held-back'] + counts.queued + counts.blocked + counts['in-flight']
  const said = [
    ...(open > 0 ? [`${formatCount(open)} to go`] : []),
    ...(etaMs === null || open === 0 ? [] : [formatForecast(etaMs)]),
    ...(counts.unknown > 0 ? [`${formatCount(counts.unknown)} of unknown outcome`] : []),
    ...(counts.rejected > 0 ? [`${formatCount(counts.rejected)} rejected`] : []),
    ...(problem && (state === 'stopped' || state === 'signed-out') ? [problem.text] : []),
  ]
  const look = state === 'idle' && open > 0 ? idleLook(counts) : drainLooks[state]
  return {
    name: 'Outbox',
    look: counts.unknown > 0 && look.tone !== 'bad' ? warn(look.label) : look,
    text: said.join(', '),
    to: '/outbox',
  }
}

/** How far the copy of the Do Not Contact list can be relied on. */
export function listRow({ state, asOf }: Pick<DncCache, 'state' | 'asOf'>, nowMs: number): HealthRow {
  const text = asOf === null ? 'no number can be called clear' : `synced ${formatAge(asOf, nowMs)}`
  return { name: 'Do Not Contact copy', look: listLooks[state], text, to: '/dnc' }
}

/** What watches the campaigns, and whether it looks. */
export function guardsRow(
  { guards, watch }: { guards: readonly Pick<Guard, 'campaignId' | 'mode'>[]; watch: CampaignWatchState },
  nowMs: number,
): HealthRow {
  const armed = guards.filter(({ mode }) => mode === 'armed').length
  const telling = guards.filter(({ mode }) => mode === 'notify').length
  const to = '/campaigns?guards=1'
  if (armed + telling === 0) return { name: 'Guards', look: quiet('None set'), text: '', to }
  const looked = watch.readAt === null ? 'never looked' : `looked ${formatAge(watch.readAt, nowMs)}`
  return {
    name: 'Guards',
    look: watch.problem ? bad('Do not look now') : ok(formatCounted(armed + telling, 'guard')),
    text: `${formatCount(armed)} armed, ${looked}`,
    to,
  }
}
