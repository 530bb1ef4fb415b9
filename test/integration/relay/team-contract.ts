import { expect, it } from 'vitest'
import {
  eraseMark,
  teamPath,
  teamQuery,
  type TeamPage,
  type TeamRequest,
} from '#electron/listener/team-protocol.ts'

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

  it('erases entries for those who can make their secret, and shows them as empty', async () => {
    const { readToken, call, post } = await start()
    const entry = (text: string) => `proof.nonce:${eraseMark(`secret of ${text}`)}.${text}`
    await post(['a', 'b', 'c', 'd'].map(entry))
    const { relayId } = (await call({})).page
    const erase = async (some: [number, string][], as?: string) =>
      (await call({}, { body: { erase: some }, ...(as && { as }) })) as { page: object; status: number }
    const some = ['a', 'b', 'd'].map((text): [number, string] => [
      text.charCodeAt(0) - 96,
      `secret of ${text === 'b' ? 'a' : text}`,
    ])
    expect((await erase(some, readToken)).status).toBe(403)
    // Not the one with a wrong secret, nor the newest.
    expect((await erase(some)).page).toEqual({ erased: 1 })
    await post([entry('e')])
    expect((await erase(some)).page).toEqual({ erased: 1 })
    const entries = ['', entry('b'), entry('c'), '', entry('e')]
    expect((await call({ relayId })).page).toMatchObject({ upTo: 5, lastSeq: 5, entries })
    expect((await call({ relayId, after: 3 })).page).toMatchObject({ entries: entries.slice(3) })
  })

  it('refuses what it must not take', async () => {
    const { url, readToken, call, post } = await start()
    expect((await call({}, { as: 'swr_wrong' })).status).toBe(401)
    expect((await call({ inbox: 'other' })).status).toBe(403)
    expect((await call({}, { headers: { Origin: 'https://example.com' } })).status).toBe(403)
    expect((await call({}, { as: readToken, body: ['a'] })).status).toBe(403)
    for (const body of [
      [],
      [''],
      [1],
      {},
      ['x'.repeat(60_000)],
      { erase: [[1]] },
      Array<string>(501).fill('a'),
    ])
      expect((await post(body)).status).toBe(400)
    expect((await post(['x'.repeat(3_000_000)])).status).toBe(413)
    expect((await fetch(`${url}${teamPath}?version=9`)).status).toBe(426)
    expect(await call({})).toMatchObject({ page: { entries: [] } })
  })
}
