import { visibleText } from '../text/visible-controls.ts'
import type { IconName } from '../ui/icons.ts'

/** The meaning a colour carries. A tone never stands alone: an icon and a word go with it. */
export type Tone = 'ok' | 'warn' | 'bad' | 'info' | 'quiet' | 'violet'

/** How a status is drawn: the same word, icon and colour everywhere. */
export interface StatusLook {
  tone: Tone
  icon: IconName
  label: string
}

const look = (tone: Tone, icon: IconName, label: string): StatusLook => ({ tone, icon, label })

const looks = {
  campaign: {
    draft: look('quiet', 'draft', 'Draft'),
    running: look('ok', 'play', 'Running'),
    paused: look('warn', 'pause', 'Paused'),
    completed: look('info', 'check', 'Completed'),
    cancelled: look('quiet', 'cross', 'Cancelled'),
  },
  message: {
    pending: look('quiet', 'clock', 'Pending'),
    queued: look('quiet', 'clock', 'Queued'),
    submitted: look('info', 'sent', 'Submitted'),
    delivered: look('ok', 'check', 'Delivered'),
    failed: look('bad', 'cross', 'Failed'),
    rejected: look('bad', 'cross', 'Rejected'),
    expired: look('warn', 'clock', 'Expired'),
  },
  scheduled: {
    pending: look('quiet', 'clock', 'Pending'),
    sent: look('ok', 'sent', 'Sent'),
    failed: look('bad', 'cross', 'Failed'),
    canceled: look('quiet', 'cross', 'Canceled'),
    cancelled: look('quiet', 'cross', 'Cancelled'),
  },
  event: {
    dlr: look('quiet', 'sent', 'Delivery report'),
    mo: look('violet', 'inbound', 'Inbound'),
    quarantined: look('warn', 'warning', 'Quarantined'),
  },
  listener: {
    stopped: look('quiet', 'stop', 'Stopped'),
    starting: look('quiet', 'clock', 'Starting'),
    listening: look('ok', 'listening', 'Listening'),
    failed: look('bad', 'warning', 'Not listening'),
  },
  task: {
    waiting: look('quiet', 'clock', 'Waiting'),
    running: look('info', 'play', 'Running'),
    paused: look('warn', 'pause', 'Paused'),
    interrupted: look('warn', 'warning', 'Interrupted'),
    done: look('ok', 'check', 'Done'),
    failed: look('bad', 'cross', 'Failed'),
    cancelled: look('quiet', 'cross', 'Cancelled'),
  },
  contact: {
    local: look('quiet', 'dot', 'Only here'),
    waiting: look('quiet', 'clock', 'Waiting'),
    'in-flight': look('info', 'sent', 'Being sent'),
    service: look('ok', 'check', 'On the service'),
    failed: look('bad', 'cross', 'Push failed'),
    'kept-back': look('warn', 'hand', 'Kept back'),
    discarded: look('warn', 'cross', 'Discarded'),
    unknown: look('warn', 'warning', 'Unknown outcome'),
    deleting: look('warn', 'trash', 'Being deleted'),
  },
  outbox: {
    'held-back': look('info', 'undo', 'Undo window'),
    queued: look('quiet', 'clock', 'Queued'),
    blocked: look('quiet', 'lock', 'Waiting on another'),
    'in-flight': look('info', 'sent', 'In flight'),
    done: look('ok', 'check', 'Done'),
    rejected: look('bad', 'cross', 'Rejected'),
    unknown: look('warn', 'warning', 'Unconfirmed'),
    cancelled: look('quiet', 'cross', 'Cancelled'),
  },
} as const satisfies Record<string, Record<string, StatusLook>>

/** How to draw `status` of a family. A word the spec does not know is shown as it came, its control characters made visible. */
export function statusLook(family: keyof typeof looks, status: string): StatusLook {
  const known: Record<string, StatusLook> = looks[family]
  return Object.hasOwn(known, status) ? known[status]! : look('quiet', 'dot', visibleText(status))
}
