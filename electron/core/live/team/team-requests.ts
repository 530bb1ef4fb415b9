import type { Said } from '../../../contract/phrases.ts'
import { trustSystemAuthorities } from '../../../lib/authorities.ts'
import type { Clock } from '../../../lib/clock.ts'
import { isLoopbackHost } from '../../../lib/loopback.ts'
import type { Log } from '../../../lib/log.ts'
import { failureOf } from '../../../listener/feed-client.ts'
import { feedWaitMs } from '../../../listener/feed-protocol.ts'
import type { RelayFeedConfig } from '../../../listener/protocol.ts'
import {
  erasedSchema,
  readTeamPage,
  type TeamPage,
  teamPath,
  teamQuery,
  type TeamRequest,
} from '../../../listener/team-protocol.ts'

/** For an answer that doesn't wait for entries. */
const answerMs = 10_000

/** Why the relay can't be used, for a person. */
export class TeamProblem extends Error {
  readonly said: Said
  constructor(said: Said) {
    super('The team can’t be reached')
    this.said = said
  }
}

export const problemOf = (error: unknown): Said =>
  error instanceof TeamProblem ? error.said : failureOf(error)

export type TeamRequests = Awaited<ReturnType<typeof openTeamRequests>>

/** Requests of a team to its relay, over one connection. Each throws when it fails; see `problemOf`. */
export async function openTeamRequests(
  { url: address, inbox, token }: RelayFeedConfig,
  attempt: number,
  parts: { resolveProxies: (origin: string) => Promise<(string | null)[]>; clock: Clock; log: Log },
) {
  const url = new URL(address)
  const isLocal = isLoopbackHost(url.hostname)
  // The token would be sent in the open.
  if (url.protocol !== 'https:' && !isLocal) throw new TeamProblem({ key: 'team.noRelay' })
  url.pathname = url.pathname.replace(/\/$/, '') + teamPath
  const proxies = isLocal ? [null] : await parts.resolveProxies(url.origin)
  const proxy = proxies[attempt % Math.max(1, proxies.length)] ?? null
  if (url.protocol === 'https:') trustSystemAuthorities(parts.log)
  const { openFeedRequests } = await import('../../../listener/feed-requests.ts')
  const requests = openFeedRequests({ url, token, proxy, ca: undefined, clock: parts.clock })

  async function ask(asked: Omit<TeamRequest, 'inbox'>, signal: AbortSignal, post?: string): Promise<string> {
    const silentMs = answerMs + (asked.wait ? feedWaitMs : 0)
    const answer = await requests.ask(teamQuery({ inbox, ...asked }), silentMs, signal, post)
    if (answer.kind === 'page') return answer.text
    if (answer.kind === 'failed') throw new TeamProblem(answer.detail)
    const isOld = answer.reason === 'not-a-relay' || answer.reason === 'version'
    throw new TeamProblem({ key: isOld ? 'team.oldRelay' : 'team.refused' })
  }

  return {
    async page(asked: Omit<TeamRequest, 'inbox'>, signal: AbortSignal): Promise<TeamPage> {
      const page = readTeamPage(await ask(asked, signal))
      if (page) return page
      throw new TeamProblem({ key: 'relay.protocol', reason: 'Not a page of this protocol' })
    },
    /** Resolves once all entries are durable at the relay. */
    post: (entries: readonly string[], signal: AbortSignal): Promise<string> =>
      ask({ after: 0, wait: false }, signal, JSON.stringify(entries)),
    /** Erases entries by sequence and secret. Returns how many. */
    async erase(some: readonly (readonly [number, string])[], signal: AbortSignal): Promise<number> {
      const answer = await ask({ after: 0, wait: false }, signal, JSON.stringify({ erase: some }))
      return erasedSchema.parse(JSON.parse(answer)).erased
    },
    close: requests.close,
  }
}
