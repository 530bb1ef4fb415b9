import type { OutboxItem } from '#contract/people/outbox.ts'
import { isHoldReason } from '#contract/phrases.ts'
import { byLocale } from '../i18n/locale.ts'
import type en from '../i18n/shared.en.json'
import { t } from '../i18n/shared.texts.ts'
import { visibleText } from '../text/visible-controls.ts'
import type { IconName } from '../ui/icons.ts'

/** The meaning of a colour, always shown with an icon and a label. */
type Tone = 'ok' | 'warn' | 'bad' | 'info' | 'quiet' | 'violet'

/** How a status is drawn: the same label, icon and colour everywhere. */
export interface StatusLook {
  tone: Tone
  icon: IconName
  label: string
}

type StatusText = keyof typeof en.status

/** A status outside its usual place. */
export const statusText = (text: StatusText): string => t(`status.${text}`)

const look = (tone: Tone, icon: IconName, text: StatusText) => ({ tone, icon, text })

const looks = {
  campaign: {
    draft: look('quiet', 'draft', 'draft'),
    running: look('ok', 'play', 'running'),
    paused: look('warn', 'pause', 'paused'),
    completed: look('info', 'check', 'completed'),
    cancelled: look('quiet', 'cross', 'cancelled'),
  },
  message: {
    pending: look('quiet', 'clock', 'pending'),
    queued: look('quiet', 'clock', 'queued'),
    submitted: look('info', 'sent', 'submitted'),
    delivered: look('ok', 'check', 'delivered'),
    failed: look('bad', 'cross', 'failed'),
    rejected: look('bad', 'cross', 'rejected'),
    undelivered: look('bad', 'cross', 'undelivered'),
    filtered: look('bad', 'cross', 'filtered'),
    blocked: look('bad', 'ban', 'blocked'),
    expired: look('warn', 'clock', 'expired'),
  },
  scheduled: {
    pending: look('quiet', 'clock', 'pending'),
    sent: look('ok', 'sent', 'sent'),
    failed: look('bad', 'cross', 'failed'),
    canceled: look('quiet', 'cross', 'messageCancelled'),
    cancelled: look('quiet', 'cross', 'messageCancelled'),
  },
  event: {
    dlr: look('quiet', 'sent', 'report'),
    mo: look('violet', 'inbound', 'inbound'),
    quarantined: look('warn', 'warning', 'quarantined'),
  },
  listener: {
    stopped: look('quiet', 'stop', 'stopped'),
    starting: look('quiet', 'clock', 'starting'),
    listening: look('ok', 'listening', 'listening'),
    failed: look('bad', 'warning', 'notListening'),
  },
  task: {
    waiting: look('quiet', 'clock', 'waiting'),
    running: look('info', 'play', 'running'),
    paused: look('warn', 'pause', 'paused'),
    interrupted: look('warn', 'warning', 'interrupted'),
    done: look('ok', 'check', 'done'),
    failed: look('bad', 'cross', 'taskFailed'),
    cancelled: look('quiet', 'cross', 'cancelled'),
  },
  contact: {
    local: look('quiet', 'dot', 'localOnly'),
    waiting: look('quiet', 'clock', 'queued'),
    'in-flight': look('info', 'sent', 'inFlight'),
    service: look('ok', 'check', 'onService'),
    failed: look('bad', 'cross', 'pushFailed'),
    'kept-back': look('warn', 'hand', 'blocked'),
    discarded: look('warn', 'cross', 'discarded'),
    unknown: look('warn', 'warning', 'unconfirmed'),
    deleting: look('warn', 'trash', 'deleting'),
  },
  outbox: {
    undoable: look('info', 'undo', 'canBeUndone'),
    scheduled: look('quiet', 'clock', 'scheduled'),
    queued: look('quiet', 'clock', 'queued'),
    blocked: look('quiet', 'lock', 'waitingOnAnother'),
    'in-flight': look('info', 'sent', 'inFlight'),
    done: look('ok', 'check', 'done'),
    rejected: look('bad', 'cross', 'requestRejected'),
    'not-sent': look('warn', 'ban', 'requestNotSent'),
    held: look('warn', 'hand', 'requestHeld'),
    unknown: look('warn', 'warning', 'unconfirmed'),
    cancelled: look('quiet', 'cross', 'cancelled'),
    'sent-again': look('quiet', 'refresh', 'resent'),
    discarded: look('quiet', 'cross', 'requestDiscarded'),
  },
} as const satisfies Record<string, Record<string, ReturnType<typeof look>>>

const known = byLocale(() => new Map<string, StatusLook>())

/**
 * How to draw `status` of a family: the same object each time, so that a tag is not drawn again for another row with the same status.
 * An unknown status is shown as received, with visible control characters.
 */
export function statusLook(family: keyof typeof looks, status: string): StatusLook {
  const all: Record<string, ReturnType<typeof look>> = looks[family]
  const name = status.toLowerCase()
  if (!Object.hasOwn(all, name)) return { tone: 'quiet', icon: 'dot', label: visibleText(status) }
  const key = `${family}/${name}`
  const { tone, icon, text } = all[name]!
  const made = known().get(key) ?? { tone, icon, label: statusText(text) }
  known().set(key, made)
  return made
}

/** How a request of the outbox is shown. A resolved one is named by its resolution: `Cancelled` would say that it was never sent. */
export function requestLook({
  state,
  resolution,
  problem,
}: Pick<OutboxItem, 'state' | 'resolution' | 'problem'>): StatusLook {
  if (state === 'rejected' && problem?.code === 'ON_DNC')
    return statusLook('outbox', isHoldReason(problem.data['reason']) ? 'held' : 'not-sent')
  return statusLook('outbox', state === 'cancelled' ? (resolution ?? state) : state)
}
