import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const core = resolve(import.meta.dirname, '../../../electron/core')
const database = resolve(import.meta.dirname, '../../../electron/database')

/** Tables of each group of core, lowest layer first. The import rules cannot see SQL. */
const owned = {
  platform: ['alert_posts', 'answers', 'settings', 'tasks'],
  service: ['probe_findings'],
  people: [
    ...['contacts', 'import_changes', 'imports', 'store', 'tag_batches', 'tag_sets', 'tag_undo', 'trash'],
    ...['dnc_checks', 'dnc_entries', 'dnc_readings', 'dnc_syncs', 'hold_readings', 'holds', 'holds_progress'],
    ...['shared_values', 'team', 'team_entries', 'team_erasures', 'team_names', 'team_sent'],
    ...['outbox', 'outbox_batches', 'outbox_control', 'ott_channels', 'ott_sends', 'templates'],
  ],
  live: [
    ...['arrivals', 'copies', 'deliveries', 'events', 'kept_messages', 'messages', 'projector', 'pruned'],
    ...[
      'conversation_marks',
      'inbox_messages',
      'inbox_progress',
      'inbox_reads',
      'inbox_senders',
      'possible_opt_outs',
    ],
    ...['missed_times', 'recovered', 'recoveries'],
    ...['spans', 'tallies'],
  ],
  views: [
    ...[
      'campaign_reading',
      'campaign_records',
      'campaign_snapshots',
      'alert_rule_log',
      'alert_rules',
      'pause_receipts',
    ],
    ...['error_codes', 'message_lookups', 'message_releases'],
  ],
  connection: ['connections', 'erasures', 'folder_tombstones', 'secret_tombstones'],
}
const groups = Object.keys(owned) as (keyof typeof owned)[]
const ownerOf = new Map(groups.flatMap((group) => owned[group].map((table) => [table, group] as const)))

const filesIn = (folder: string) => globSync('**/*.ts', { cwd: folder }).map((file) => join(folder, file))
const matches = (file: string, pattern: RegExp) =>
  [...readFileSync(file, 'utf8').matchAll(pattern)].map(([, name]) => name!)
const created = new Set(
  filesIn(database).flatMap((file) => matches(file, /CREATE (?:VIRTUAL )?TABLE (\w+)/g)),
)

it('uses each table only in its own group of core or above', () => {
  const used = groups.flatMap((group, rank) =>
    filesIn(join(core, group)).flatMap((file) =>
      matches(file, /\b(?:FROM|JOIN|INTO|UPDATE)\s+(\w+)/g)
        .filter((table) => created.has(table))
        .map((table) => ({ table, rank, use: `${file.slice(core.length + 1)}: ${table}` })),
    ),
  )
  expect(used.length).toBeGreaterThan(100)
  expect(used.filter(({ table }) => !ownerOf.has(table)).map(({ use }) => use)).toEqual([])
  const upwards = used.filter(({ table, rank }) => groups.indexOf(ownerOf.get(table)!) > rank)
  expect(upwards.map(({ use }) => use)).toEqual([])
})
