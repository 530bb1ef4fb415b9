import { type Phrase, saidOf, storedText } from '../../../contract/phrases.ts'
import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import * as z from 'zod'
import type { InputOf } from '../../../contract/define.ts'
import { AppError } from '../../../contract/errors.ts'
import {
  alarmKinds,
  type AlertFormat,
  type AlertPost,
  type AlertWebhook,
  alertFormatSchema,
  type NoteKind,
  type notificationsContract,
  noteKindSchema,
} from '../../../contract/platform/notifications.ts'
import en from '../../../contract/notes.en.json' with { type: 'json' }
import es from '../../../contract/notes.es.json' with { type: 'json' }
import { createTexts, type Language } from '../../../contract/texts.ts'
import type { Database } from '../../../database/open.ts'
import type { Clock } from '../../../lib/clock.ts'
import { digestOf } from '../../../lib/digest.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import type { Log } from '../../../lib/log.ts'
import { isLoopbackHost } from '../../../lib/loopback.ts'
import { beats, createPulse } from '../../../lib/pulse.ts'
import type { SecretStore } from '../../ports.ts'
import type { SettingsRepository } from '../settings/settings.repository.ts'

/** The text of an alert, in every format. */
export interface Alert {
  kind: NoteKind | 'test'
  title: string
  body: string
  /** Name of the connection it is about. */
  connection: string | null
}

/** Delays before each retry. A receiver that is down for longer than their sum misses the alert. */
const retryDelaysMs = [5_000, 30_000, 120_000, 600_000]
const tryTimeoutMs = 10_000
/** How many posts are listed, and how many are stored. */
const listedMax = 50
const keptMax = 500
/** An alert that several computers see is sent after this time, unless it is decided before who does. */
const decidedWithinMs = 5 * 60_000

const settingsKey = 'alert-webhook'
const settingsSchema = z.object({
  host: z.string(),
  format: alertFormatSchema,
  kinds: z.array(noteKindSchema),
  /** Whether a signing secret exists. */
  signed: z.boolean(),
})
const urlAccount = 'alert-webhook/url'
const secretAccount = 'alert-webhook/secret'

interface PostRow {
  id: number
  messageId: string
  alertJson: string
  createdMs: number
  tries: number
  nextMs: number | null
  result: string | null
}

/**
 * Posts alerts to one webhook outside the app: Slack's format, or JSON signed by the Standard Webhooks scheme. An alert is stored before it
 * is sent and retried after a restart, so it arrives at least once. A repetition has the same `webhook-id`.
 */
export function createAlertWebhook(parts: {
  db: Database
  secrets: SecretStore
  forgetSecret: (account: string) => Promise<AppError | null>
  settings: SettingsRepository
  fetch: (
    url: string,
    request: { method: string; headers: Record<string, string>; body: string; signal: AbortSignal },
  ) => Promise<{ status: number }>
  /** Why `fetch` could not reach an address, without quoting it; null if unknown. */
  whyUnreachable: (thrown: unknown) => Phrase | null
  language: () => Language
  clock: Clock
  log: Log
}) {
  const { db, secrets, settings, clock, log } = parts
  const t = createTexts({ en, es }, parts.language)
  const columns =
    'id, message_id AS messageId, alert_json AS alertJson, created_ms AS createdMs, tries, next_ms AS nextMs, result'
  const insert = db.prepare(
    'INSERT INTO alert_posts (message_id, alert_json, created_ms, next_ms) VALUES (?, ?, ?, ?)',
  )
  const selectListed = db.prepare(`SELECT ${columns} FROM alert_posts ORDER BY id DESC LIMIT ${listedMax}`)
  const selectNext = db.prepare(
    `SELECT ${columns} FROM alert_posts WHERE next_ms IS NOT NULL ORDER BY next_ms, id LIMIT 1`,
  )
  // A post that was cancelled during its try stays cancelled.
  const update = db.prepare(
    'UPDATE alert_posts SET tries = ?, next_ms = ?, result = ? WHERE id = ? AND next_ms IS NOT NULL',
  )
  const setNext = db.prepare('UPDATE alert_posts SET next_ms = ? WHERE id = ? AND next_ms IS NOT NULL')
  const dropWaiting = db.prepare(
    `UPDATE alert_posts SET next_ms = NULL, result = '{"key":"alert.removed"}' WHERE next_ms IS NOT NULL`,
  )
  const prune = db.prepare('DELETE FROM alert_posts WHERE id <= ?')

  const pulse = createPulse()
  const stopping = new AbortController()
  let wake = new AbortController()
  let isDraining = false
  let draining = Promise.resolve()

  const current = () => settings.get(settingsKey, settingsSchema) ?? null

  /** Stores an alert, to be sent after `delayMs` unless that is decided before. Returns its id. */
  function store(alert: Alert, delayMs = 0): number {
    const nowMs = clock.now()
    const id = Number(insert.run(randomUUID(), JSON.stringify(alert), nowMs, nowMs + delayMs).lastInsertRowid)
    prune.run(id - keptMax)
    pulse.fire()
    start()
    return id
  }

  function sendNow(id: number): void {
    setNext.run(clock.now(), id)
    start()
  }

  /** Sends due alerts and waits for the next ones. Ends when none is left. */
  async function drain(): Promise<void> {
    isDraining = true
    try {
      while (!stopping.signal.aborted) {
        const next = selectNext.get() as (PostRow & { nextMs: number }) | undefined
        if (!next) return
        const waitMs = next.nextMs - clock.now()
        if (waitMs > 0) {
          wake = new AbortController()
          await clock.sleep(waitMs, AbortSignal.any([stopping.signal, wake.signal])).catch(() => {})
          continue
        }
        const outcome = await attemptPost(next)
        if (stopping.signal.aborted) return
        const tries = next.tries + 1
        const delayMs = outcome.retry ? retryDelaysMs[next.tries] : undefined
        update.run(tries, delayMs === undefined ? null : clock.now() + delayMs, outcome.result, next.id)
        pulse.fire()
      }
    } finally {
      isDraining = false
    }
  }

  function start(): void {
    wake.abort()
    if (!isDraining)
      draining = drain().catch((error: unknown) => log.error('Could not send alerts', { error }))
  }

  async function attemptPost({ messageId, alertJson, createdMs }: PostRow) {
    const config = current()
    const ending = new AbortController()
    const stored = config && (await readSecrets(config.format).catch(() => null))
    if (!config || !stored?.url) return { retry: true, result: storedText({ key: 'alert.noAddress' }) }
    try {
      const { body, headers } = write(JSON.parse(alertJson) as Alert, {
        format: config.format,
        messageId,
        createdMs,
        secret: stored.secret,
      })
      const answer = await parts.fetch(stored.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
        signal: AbortSignal.any([stopping.signal, ending.signal, AbortSignal.timeout(tryTimeoutMs)]),
      })
      if (answer.status >= 200 && answer.status < 300) return { retry: false, result: 'delivered' }
      const retry = answer.status >= 500 || answer.status === 429 || answer.status === 408
      return { retry, result: storedText({ key: 'alert.answered', status: String(answer.status) }) }
    } catch (error) {
      // Never log the message: it may quote the address, which may contain a secret.
      log.info('Could not deliver an alert', { error: error instanceof Error ? error.name : 'unknown' })
      return { retry: true, result: storedText(parts.whyUnreachable(error) ?? { key: 'alert.silent' }) }
    } finally {
      // The answer's body does not matter.
      ending.abort()
    }
  }

  /** Reads only what the format needs: without a keychain, values not set in this run cannot be read. */
  async function readSecrets(format: AlertFormat) {
    return {
      url: await secrets.get(urlAccount),
      secret: format === 'json' ? await secrets.get(secretAccount) : null,
    }
  }

  /** The body, and for JSON the three headers of Standard Webhooks 1.0.0. */
  function write(
    { kind, title, body, connection }: Alert,
    {
      format,
      messageId,
      createdMs,
      secret,
    }: { format: AlertFormat; messageId: string; createdMs: number; secret: string | null },
  ): { body: string; headers: Record<string, string> } {
    if (format === 'slack')
      return { body: JSON.stringify({ text: `*${slackText(title)}*\n${slackText(body)}` }), headers: {} }
    const at = isoTime(createdMs)
    const text = JSON.stringify({ type: `alert.${kind}`, timestamp: at, data: { title, body, connection } })
    const seconds = Math.floor(clock.now() / 1_000)
    const headers = { 'webhook-id': messageId, 'webhook-timestamp': String(seconds) }
    if (secret === null) return { body: text, headers }
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
    const signature = createHmac('sha256', key).update(`${messageId}.${seconds}.${text}`).digest('base64')
    return { body: text, headers: { ...headers, 'webhook-signature': `v1,${signature}` } }
  }

  const read = (): AlertWebhook => {
    const { host = null, format = 'slack', kinds = [...alarmKinds] } = current() ?? {}
    return { host, format, kinds, posts: (selectListed.all() as PostRow[]).map(postOf) }
  }

  return {
    /** Sends the alerts that were waiting when the core stopped. */
    start,
    /** Posts an alert, if its kind is selected. `unlessDone` gets a digest of the webhook's address, posts unless a colleague's computer does, and returns who does. */
    post(
      alert: Alert & { kind: NoteKind },
      unlessDone?: (endpoint: string, post: () => void) => Promise<string | null>,
    ): void {
      if (!current()?.kinds.includes(alert.kind)) return
      const id = store(alert, unlessDone ? decidedWithinMs : 0)
      if (!unlessDone) return
      void secrets
        .get(urlAccount)
        .then(async (url) => {
          const name = await unlessDone(digestOf(url ?? ''), () => sendNow(id))
          if (name === null) return
          update.run(0, null, storedText({ key: 'alert.byColleague', name }), id)
          pulse.fire()
        })
        .catch((error: unknown) => {
          log.error('Could not decide who posts an alert', { error })
          sendNow(id)
        })
        .catch((error: unknown) => log.error('Could not send an alert', { error }))
    },
    async *watch(signal: AbortSignal) {
      for await (const _beat of beats(pulse, clock, { minGapMs: 100, maxGapMs: 60_000 }, signal)) yield read()
    },
    async set(input: InputOf<typeof notificationsContract, 'setWebhook'>) {
      const { format, kinds } = input
      const before = current()
      const host = input.url === undefined ? before?.host : hostOf(input.url)
      if (host === undefined) throw new AppError('INVALID_INPUT', { detail: { key: 'input.address' } })
      if (input.url !== undefined) await secrets.set(urlAccount, input.url)
      const isNewSecret = format === 'json' && (input.newSecret || !before?.signed)
      const secret = isNewSecret ? `whsec_${randomBytes(32).toString('base64')}` : null
      if (secret !== null) await secrets.set(secretAccount, secret)
      settings.put(settingsKey, { host, format, kinds, signed: secret !== null || before?.signed === true })
      pulse.fire()
      return { secret }
    },
    async remove(): Promise<void> {
      settings.remove(settingsKey)
      dropWaiting.run()
      pulse.fire()
      const problems = [await parts.forgetSecret(urlAccount), await parts.forgetSecret(secretAccount)]
      const problem = problems.find((each) => each !== null)
      if (problem) throw problem
    },
    test(): void {
      if (current() === null) throw new AppError('INVALID_INPUT', { detail: { key: 'input.webhookFirst' } })
      store({ kind: 'test', title: t('test.title'), body: t('test.body'), connection: null })
    },
    async stop(): Promise<void> {
      stopping.abort()
      await draining
    },
  }
}
export type AlertWebhookService = ReturnType<typeof createAlertWebhook>

function postOf({ id, alertJson, createdMs, tries, nextMs, result }: PostRow): AlertPost {
  const { kind, title } = JSON.parse(alertJson) as Alert
  return {
    id,
    kind,
    title,
    createdAt: isoTime(createdMs),
    tries,
    nextAt: isoTime(nextMs),
    result: result === null ? null : saidOf(result),
  }
}

/** Host of an address that alerts may go to. */
function hostOf(url: string): string {
  const parsed = URL.parse(url)
  const isSafe =
    parsed?.protocol === 'https:' || (parsed?.protocol === 'http:' && isLoopbackHost(parsed.hostname))
  if (!parsed || !isSafe) throw new AppError('INVALID_INPUT', { detail: { key: 'input.https' } })
  if (parsed.username !== '' || parsed.password !== '')
    throw new AppError('INVALID_INPUT', { detail: { key: 'input.noCredentials' } })
  return parsed.host
}

/** Slack's three control characters, escaped as its formatting guide asks. */
const slackText = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
