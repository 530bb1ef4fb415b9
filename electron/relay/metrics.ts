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
    {
      name: 'start_time_seconds',
      help: 'When it started.',
      kind: 'gauge',
      values: [{ value: startedMs / 1_000 }],
    },
    {
      name: 'deliveries_total',
      help: 'Deliveries stored and answered with 200.',
      kind: 'counter',
      values: inboxes.flatMap(({ name, counts }) =>
        (['signed', 'unsigned'] as const).map((verdict) => ({
          labels: { inbox: name, verdict },
          value: counts[verdict],
        })),
      ),
    },
    {
      name: 'not_stored_total',
      help: 'Deliveries answered with 503, those above the rate included.',
      kind: 'counter',
      values: each(({ counts }) => counts.notStored),
    },
    {
      name: 'over_rate_total',
      help: 'Deliveries answered with 503 because the inbox has a rate limit.',
      kind: 'counter',
      values: each(({ counts }) => counts.tooFast),
    },
    {
      name: 'refused_total',
      help: 'Requests refused, by reason; without an inbox when the path is unknown.',
      kind: 'counter',
      values: [
        ...inboxes.flatMap(({ name, refused }) => reasons(refused, name)),
        ...reasons(unknownPath, ''),
      ],
    },
    {
      name: 'acknowledge_p99_seconds',
      help: 'Time from headers to the 200, 99th percentile since the start.',
      kind: 'gauge',
      values: each(({ latency }) => latency.quantileMs(0.99) / 1_000),
    },
    {
      name: 'storing',
      help: '1 while deliveries can be stored.',
      kind: 'gauge',
      values: each(({ store }) => (store.storing().kind === 'storing' ? 1 : 0)),
    },
    {
      name: 'backlog_deliveries',
      help: 'Deliveries answered with 200 that are only on this relay’s disk, waiting for JetStream.',
      kind: 'gauge',
      values: each(({ store }) => store.backlog()?.deliveries ?? 0),
    },
    {
      name: 'backlog_lost_total',
      help: 'Deliveries answered with 200 that were lost from this relay’s disk.',
      kind: 'counter',
      values: each(({ store }) => store.backlog()?.lost ?? 0),
    },
    {
      name: 'dropped_total',
      help: 'Deliveries deleted by age or size.',
      kind: 'counter',
      values: each(({ counts }) => counts.dropped),
    },
    {
      name: 'dropped_unread_total',
      help: 'Deliveries deleted before every token had read them.',
      kind: 'counter',
      values: each(({ counts }) => counts.droppedUnread),
    },
    {
      name: 'feeds',
      help: 'Consoles waiting for deliveries.',
      kind: 'gauge',
      values: each(({ name }) => feeds.filter(({ inbox }) => inbox === name).length),
    },
    {
      name: 'feeds_refused_total',
      help: 'Requests of consoles refused, most often because of their token.',
      kind: 'counter',
      values: [{ value: feedsRefused }],
    },
    {
      name: 'unread_deliveries',
      help: 'Deliveries a token has not acknowledged.',
      kind: 'gauge',
      values: inboxes.flatMap(({ name, unread: counts }) =>
        Object.entries(counts()).map(([token, value]) => ({ labels: { inbox: name, name: token }, value })),
      ),
    },
  ])
}
