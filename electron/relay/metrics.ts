import type { FeedServer } from './feed-server.ts'
import type { Inbox } from './inbox.ts'

/** One metric in Prometheus' text format (prometheus.io/docs/instrumenting/exposition_formats). */
interface Metric {
  name: string
  help: string
  kind: 'counter' | 'gauge'
  values: { labels?: Record<string, string>; value: number }[]
}

const escaped = (value: string) => value.replace(/[\\"\n]/g, (sign) => (sign === '\n' ? '\\n' : `\\${sign}`))

const metric =
  (kind: Metric['kind']) =>
  (name: string, help: string, values: Metric['values']): Metric => ({ name, help, kind, values })
const counter = metric('counter')
const gauge = metric('gauge')

export const metricsType = 'text/plain; version=0.0.4; charset=utf-8'

function metricsText(metrics: readonly Metric[]): string {
  const lines = metrics.flatMap(({ name, help, kind, values }) => {
    const full = `switchboard_relay_${name}`
    return [
      `# HELP ${full} ${help}`,
      `# TYPE ${full} ${kind}`,
      ...values.map(({ labels = {}, value }) => {
        const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`)
        return `${full}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}`
      }),
    ]
  })
  return `${lines.join('\n')}\n`
}

/** What `/metrics` shows. */
export function relayMetrics({
  startedMs,
  inboxes,
  feeds,
  feedsRefused,
  unknownPath,
}: {
  startedMs: number
  inboxes: readonly Inbox[]
  feeds: ReturnType<FeedServer['feeds']>
  feedsRefused: number
  /** Refused requests of no inbox, by reason. */
  unknownPath: Partial<Record<string, number>>
}): string {
  const each = (value: (inbox: Inbox) => number) =>
    inboxes.map((inbox) => ({ labels: { inbox: inbox.name }, value: value(inbox) }))
  const reasons = (counts: Partial<Record<string, number>>, inbox: string) =>
    Object.entries(counts).map(([reason, value = 0]) => ({ labels: { inbox, reason }, value }))
  return metricsText([
    gauge('start_time_seconds', 'When it started.', [{ value: startedMs / 1_000 }]),
    counter(
      'deliveries_total',
      'Deliveries stored and answered with 200.',
      inboxes.flatMap(({ name, counts }) =>
        (['signed', 'unsigned'] as const).map((verdict) => ({
          labels: { inbox: name, verdict },
          value: counts[verdict],
        })),
      ),
    ),
    counter(
      'not_stored_total',
      'Deliveries answered with 503, those above the rate included.',
      each(({ counts }) => counts.notStored),
    ),
    counter(
      'over_rate_total',
      'Deliveries answered with 503 because the inbox has a rate limit.',
      each(({ counts }) => counts.tooFast),
    ),
    counter('refused_total', 'Requests refused, by reason; without an inbox when the path is unknown.', [
      ...inboxes.flatMap(({ name, refused }) => reasons(refused, name)),
      ...reasons(unknownPath, ''),
    ]),
    gauge(
      'acknowledge_p99_seconds',
      'Time from headers to the 200, 99th percentile since the start.',
      each(({ latency }) => latency.percentile(99) / 1_000_000),
    ),
    gauge(
      'storing',
      '1 while deliveries can be stored.',
      each(({ store }) => (store.storing().kind === 'storing' ? 1 : 0)),
    ),
    gauge(
      'backlog_deliveries',
      'Deliveries answered with 200 that are only on this relay’s disk, waiting for JetStream.',
      each(({ store }) => store.backlog()?.deliveries ?? 0),
    ),
    counter(
      'backlog_lost_total',
      'Deliveries answered with 200 that were lost from this relay’s disk.',
      each(({ store }) => store.backlog()?.lost ?? 0),
    ),
    counter(
      'dropped_total',
      'Deliveries deleted by age or size.',
      each(({ counts }) => counts.dropped),
    ),
    counter(
      'dropped_unread_total',
      'Deliveries deleted before every token had read them.',
      each(({ counts }) => counts.droppedUnread),
    ),
    gauge(
      'feeds',
      'Consoles waiting for deliveries.',
      each(({ name }) => feeds.filter(({ inbox }) => inbox === name).length),
    ),
    counter('feeds_refused_total', 'Requests of consoles refused, most often because of their token.', [
      { value: feedsRefused },
    ]),
    gauge(
      'unread_deliveries',
      'Deliveries a token has not acknowledged.',
      inboxes.flatMap(({ name, unread: counts }) =>
        Object.entries(counts()).map(([token, value]) => ({ labels: { inbox: name, name: token }, value })),
      ),
    ),
  ])
}
