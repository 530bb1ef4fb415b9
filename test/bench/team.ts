import Sqlite from 'better-sqlite3'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { signed, textOf } from '#electron/core/people/dnc/team-entries.ts'
import { timeId } from '#electron/lib/time-id.ts'
import { teamPath, teamPost, teamQuery } from '#electron/listener/team-protocol.ts'
import { openFolder } from '#electron/relay/documents.ts'
import { addToken } from '#electron/relay/tokens.ts'
import { startRelayProcess } from '../helpers/relay.ts'
import { openTeamConsole, teamKey, turn } from '../helpers/team-console.ts'
import type { BenchResult } from './bench-result.ts'
import { median } from './figures.ts'

/**
 * Joins a team of 100,000 holds, beside the insertion of their texts into SQLite. `TEAM_ENTRIES` makes it smaller. Then 1,000 changes a
 * minute of who handles conversations.
 */
const count = Number(process.env['TEAM_ENTRIES'] ?? 100_000)
const rounds = 3
const perCommit = 2_000
const perMinute = 1_000
const changes = 250

/** Processor seconds of this process. */
async function processorSeconds(work: () => Promise<void> | void): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}

function insert(folder: string, entries: readonly string[]): void {
  const db = new Sqlite(join(folder, 'bare.db'))
  db.pragma('journal_mode = WAL')
  db.exec('CREATE TABLE entries (id TEXT PRIMARY KEY, text TEXT)')
  const add = db.prepare<[string, string]>('INSERT INTO entries VALUES (?, ?)')
  const addAll = db.transaction((some: readonly string[]) => {
    for (const text of some) {
      const { id } = JSON.parse(text.slice(text.indexOf('{'))) as { id: string }
      add.run(id, text)
    }
  })
  for (let at = 0; at < entries.length; at += perCommit) addAll(entries.slice(at, at + perCommit))
  db.close()
}

export async function run(): Promise<BenchResult> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-team-'))
  const dataDir = join(folder, 'relay')
  mkdirSync(dataDir, { mode: 0o700 })
  const relay = await startRelayProcess(['--data-dir', dataDir])
  try {
    const url = `http://127.0.0.1:${relay.port}`
    const token = await addToken(openFolder(dataDir), 'bench', 'main', 1)
    const entries = Array.from({ length: count }, (_, at) => {
      const by = { author: 'Ben', atMs: 1_700_000_000_000 + at, evidence: `Asked by phone, ticket ${at}` }
      const number = `+1${2_025_550_000 + ((at * 7_919) % 9_000_000)}`
      const hold = {
        kind: 'hold',
        id: timeId(Date.now()),
        number,
        country: 'US',
        source: 'by-hand',
        ownOnly: false,
        ...by,
      } as const
      return signed(textOf(hold), teamKey)
    })
    const post = async (some: readonly string[]) => {
      const answer = await fetch(target, {
        method: 'POST',
        body: JSON.stringify(some),
        headers: { Authorization: `Bearer ${token}` },
      })
      if (!answer.ok) throw new Error(`A post was answered with ${answer.status}`)
    }
    const target = `${url}${teamPath}?${teamQuery({ inbox: 'main', after: 0, wait: false }).toString()}`
    for (let at = 0; at < count; at += teamPost.items / 2)
      await post(entries.slice(at, at + teamPost.items / 2))
    const joins: { seconds: number; bareSeconds: number; wallMs: number }[] = []
    let changeShare = 0
    const change = async () => {
      const posts = fork(join(import.meta.dirname, 'relay/team-posts.ts'), [
        ...[target, token],
        ...[changes, 60_000 / perMinute].map(String),
      ])
      const [code] = (await once(posts, 'exit')) as [number]
      if (code !== 0) throw new Error('The posts failed')
    }
    for (let round = 0; round < rounds; round++) {
      const place = join(folder, String(round))
      mkdirSync(place, { mode: 0o700 })
      const bareSeconds = await processorSeconds(() => insert(place, entries))
      const ana = openTeamConsole('Ana', { url, token }, place)
      const startMs = performance.now()
      const seconds = await processorSeconds(async () => {
        await ana.join()
        while ((ana.repository.team()!.readMs ?? 0) === 0) await turn()
      })
      joins.push({ seconds, bareSeconds, wallMs: performance.now() - startMs })
      const { total } = ana.holds.list('active', 1)
      if (total !== count) throw new Error(`${total} of ${count} holds were taken`)
      if (round === rounds - 1) {
        const sinceMs = performance.now()
        const used = await processorSeconds(change)
        const seconds = (performance.now() - sinceMs) / 1_000
        while (ana.repository.team()!.seq < count + changes) await turn()
        changeShare = used / seconds
      }
      await ana.stop()
    }
    const middle = (pick: (one: (typeof joins)[number]) => number) => median(joins.map(pick))
    return {
      name: `Joining a team of ${count.toLocaleString('en')} holds`,
      lines: [
        `joined after ${(middle(({ wallMs }) => wallMs) / 1_000).toFixed(1)} s, with ${middle(({ seconds }) => seconds).toFixed(1)} s of the processor`,
        `${perMinute.toLocaleString('en')} changes a minute: ${(changeShare * 100).toFixed(1)} % of a core`,
        `texts inserted into SQLite: ${middle(({ bareSeconds }) => bareSeconds).toFixed(1)} s of the processor`,
      ],
      targets: [
        {
          name: 'processor, s',
          value: middle(({ seconds }) => seconds),
          bound: { below: 5 },
          or: {
            name: 'relative to the insertion',
            value: middle(({ seconds, bareSeconds }) => seconds / bareSeconds),
            bound: { below: 9 },
          },
        },
        { name: 'changes, % of a core', value: changeShare * 100, bound: { below: 2 } },
      ],
    }
  } finally {
    await relay.host.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}
