import { expect, it } from 'vitest'
import { teamPath, teamQuery, type TeamPage, type TeamRequest } from '#electron/listener/team-protocol.ts'
import { openFolder } from '#electron/relay/documents.ts'
import { addToken } from '#electron/relay/tokens.ts'
import { runRelay } from '../../helpers/relay.ts'

async function open() {
  const relay = await runRelay()
  const reading = await addToken(openFolder(relay.dataDir), 'display', 'main', 1, true)
  const call = async (
    asked: Partial<TeamRequest>,
    { token = relay.token, headers = {}, body }: { token?: string; headers?: object; body?: unknown } = {},
  ) => {
    const query = teamQuery({ inbox: 'main', after: 0, wait: false, ...asked }).toString()
    const answer = await fetch(`${relay.url}${teamPath}?${query}`, {
      headers: { Authorization: `Bearer ${token}`, ...headers },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
    return { status: answer.status, page: (await answer.json()) as TeamPage }
  }
  return { relay, reading, call, post: (body: unknown) => call({}, { body }) }
}

it('keeps entries, and passes them on to each console from its own position', async () => {
  const { reading, call, post } = await open()
  const { page: empty } = await call({})
  expect(empty).toMatchObject({ after: 0, upTo: 0, lastSeq: 0, mayPost: true, entries: [] })
  const { relayId } = empty
  const waiting = call({ relayId, wait: true })
  expect((await post(['a', 'b'])).status).toBe(200)
  expect((await waiting).page.entries.length).toBeGreaterThan(0)
  expect((await post(['c'])).status).toBe(200)
  expect((await call({ relayId, after: 2 })).page).toMatchObject({ upTo: 3, entries: ['c'] })
  const display = (await call({ relayId, after: 1 }, { token: reading })).page
  expect(display).toMatchObject({ mayPost: false, entries: ['b', 'c'] })
  // Of another numbering, or read further than it goes: from the start.
  for (const asked of [
    { relayId: 'other', after: 2 },
    { relayId, after: 9 },
  ])
    expect((await call(asked)).page).toMatchObject({ relayId, after: 0, entries: ['a', 'b', 'c'] })
})

it('refuses what it must not take', async () => {
  const { relay, reading, call, post } = await open()
  expect((await call({}, { token: 'swr_wrong' })).status).toBe(401)
  expect((await call({ inbox: 'other' })).status).toBe(403)
  expect((await call({}, { headers: { Origin: 'https://example.com' } })).status).toBe(403)
  expect((await call({}, { token: reading, body: ['a'] })).status).toBe(403)
  for (const body of [[], [''], [1], {}, ['x'.repeat(20_000)], Array<string>(501).fill('a')])
    expect((await post(body)).status).toBe(400)
  expect((await post(['x'.repeat(3_000_000)])).status).toBe(413)
  expect((await fetch(`${relay.url}${teamPath}?version=9`)).status).toBe(426)
  expect(await call({})).toMatchObject({ page: { entries: [] } })
})
