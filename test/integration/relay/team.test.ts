import { expect, it } from 'vitest'
import { systemClock } from '#electron/lib/clock.ts'
import { readTeamPage, teamPath, teamQuery } from '#electron/listener/team-protocol.ts'
import { openFolder } from '#electron/relay/documents.ts'
import { addToken, revokeToken } from '#electron/relay/tokens.ts'
import { runRelay } from '../../helpers/relay.ts'
import { teamContract } from './team-contract.ts'

teamContract(async () => {
  const relay = await runRelay()
  const readToken = await addToken(openFolder(relay.dataDir), 'display', 'main', 1, true)
  return { ...relay, inbox: 'main', readToken }
})

it('takes no more entries once the log is full', async () => {
  const limits = { connections: 9, bodyBytes: 65_536, feeds: 9, teamBytes: 100_000 }
  const relay = await runRelay({ limits })
  const query = teamQuery({ inbox: 'main', after: 0, wait: false }).toString()
  const headers = { Authorization: `Bearer ${relay.token}` }
  const body = JSON.stringify(Array<string>(6).fill('x'.repeat(16_000)))
  const post = async () =>
    (await fetch(`${relay.url}${teamPath}?${query}`, { method: 'POST', headers, body })).status
  expect([await post(), await post()]).toEqual([200, 507])
})

it('ends a request that waits when its token is revoked', async () => {
  const relay = await runRelay()
  const display = await addToken(openFolder(relay.dataDir), 'display', 'main', 1, true)
  const ask = (token: string, wait: boolean) => {
    const query = teamQuery({ inbox: 'main', after: 0, wait, ...(wait && { here: 'Ana' }) }).toString()
    return fetch(`${relay.url}${teamPath}?${query}`, { headers: { Authorization: `Bearer ${token}` } })
  }
  const waiting = ask(relay.token, true)
  await expect.poll(async () => await (await ask(display, false)).text()).toContain('Ana')
  await revokeToken(openFolder(relay.dataDir), 'ana', 2)
  expect((await waiting).status).toBe(401)
})

it('tells what a console does for 30 seconds after it asked', async () => {
  let skewMs = 0
  const relay = await runRelay({}, undefined, { ...systemClock, now: () => Date.now() + skewMs })
  const display = await addToken(openFolder(relay.dataDir), 'display', 'main', 1, true)
  const here = async (token: string) => {
    const query = teamQuery({ inbox: 'main', after: 0, wait: false, here: token }).toString()
    const headers = { Authorization: `Bearer ${token}` }
    const answer = await fetch(`${relay.url}${teamPath}?${query}`, { headers })
    return readTeamPage(await answer.text())!
      .here.flatMap(({ text, isHere }) => (isHere ? [text] : []))
      .sort()
  }
  await here(display)
  await expect.poll(() => here(relay.token)).toEqual([relay.token, display].sort())
  skewMs = 31_000
  expect(await here(relay.token)).toEqual([relay.token])
})
