import { setTimeout as sleep } from 'node:timers/promises'
import { signed, textOf } from '#electron/core/people/dnc/team-entries.ts'
import { timeId } from '#electron/lib/time-id.ts'
import { teamKey } from '../../helpers/team-console.ts'

/** `node team-posts.ts URL TOKEN COUNT GAP`: posts changes of who handles conversations, each GAP ms after the last. */
const [, , url = '', token = '', count, gapMs] = process.argv
const sinceMs = performance.now()
for (let at = 0; at < Number(count); at++) {
  const value = {
    of: 'conversation',
    key: `${14155550000 + (at % 50)}`,
    value: { state: 'open', upTo: null },
  }
  const by = { id: timeId(Date.now()), clockMs: Date.now(), author: 'Ben', atMs: Date.now() }
  const body = JSON.stringify([signed(textOf({ kind: 'value', ...value, ...by }), teamKey)])
  const answer = await fetch(url, { method: 'POST', body, headers: { Authorization: `Bearer ${token}` } })
  if (!answer.ok) throw new Error(`A post was answered with ${answer.status}`)
  await sleep(Math.max(0, sinceMs + (at + 1) * Number(gapMs) - performance.now()))
}
