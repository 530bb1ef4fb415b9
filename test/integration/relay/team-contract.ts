import { expect, it } from 'vitest'
import { teamPath, teamQuery, type TeamPage, type TeamRequest } from '#electron/listener/team-protocol.ts'

interface RelayUnderTest {
  url: string
  inbox: string
  token: string
  /** May only read. */
  readToken: string
}

/** What the log of a team does over every store of a relay. `open` gives an empty one. */
export function teamContract(open: () => Promise<RelayUnderTest>): void {
  async function start() {
    const { url, inbox, token, readToken } = await open()
    const call = async (
      asked: Partial<TeamRequest>,
      { as = token, headers = {}, body }: { as?: string; headers?: object; body?: unknown } = {},
    ) => {
      const query = teamQuery({ inbox, after: 0, wait: false, ...asked }).toString()
      const answer = await fetch(`${url}${teamPath}?${query}`, {
        headers: { Authorization: `Bearer ${as}`, ...headers },
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      })
      return { status: answer.status, page: (await answer.json()) as TeamPage }
    }
    return { url, readToken, call, post: (body: unknown) => call({}, { body }) }
  }

  it('keeps entries, and passes them on to each console from its own position', async () => {
    const { readToken, call, post } = await start()
    const { page: empty } = await call({})
    expect(empty).toMatchObject({ after: 0, upTo: 0, lastSeq: 0, mayPost: true, entries: [] })
    const { relayId } = empty
    const waiting = call({ relayId, wait: true })
    expect((await post(['a', 'b'])).status).toBe(200)
    expect((await waiting).page.entries.length).toBeGreaterThan(0)
    expect((await post(['c'])).status).toBe(200)
    expect((await call({ relayId, after: 2 })).page).toMatchObject({ upTo: 3, entries: ['c'] })
    const display = (await call({ relayId, after: 1 }, { as: readToken })).page
    expect(display).toMatchObject({ mayPost: false, entries: ['b', 'c'] })
    for (const here of ['before', 'Ana']) await call({ here })
    const here = async () =>
      (await call({ here: 'Ben' }, { as: readToken })).page.here.map(({ text }) => text).sort()
    await expect.poll(here, { timeout: 10_000 }).toEqual(['Ana', 'Ben'])
    // Of another numbering, or read further than it goes: from the start.
    for (const asked of [
      { relayId: 'other', after: 2 },
      { relayId, after: 9 },
    ])
      expect((await call(asked)).page).toMatchObject({ relayId, after: 0, entries: ['a', 'b', 'c'] })
  })

  it('refuses what it must not take', async () => {
    const { url, readToken, call, post } = await start()
    expect((await call({}, { as: 'swr_wrong' })).status).toBe(401)
    expect((await call({ inbox: 'other' })).status).toBe(403)
    expect((await call({}, { headers: { Origin: 'https://example.com' } })).status).toBe(403)
    expect((await call({}, { as: readToken, body: ['a'] })).status).toBe(403)
    for (const body of [[], [''], [1], {}, ['x'.repeat(50_000)], Array<string>(501).fill('a')])
      expect((await post(body)).status).toBe(400)
    expect((await post(['x'.repeat(3_000_000)])).status).toBe(413)
    expect((await fetch(`${url}${teamPath}?version=9`)).status).toBe(426)
    expect(await call({})).toMatchObject({ page: { entries: [] } })
  })
}
