import type { IncomingMessage } from 'node:http'
import type { Clock } from '../lib/clock.ts'
import type { Pulse } from '../lib/pulse.ts'
import type { RelayRefusal } from '../listener/feed-protocol.ts'
import type { OtherAnswer } from '../listener/http-server.ts'
import type { Inbox } from './inbox.ts'
import type { RelayStore } from './store.ts'
import { bearerToken, type RelayTokens, type TokenRecord } from './tokens.ts'

export type Refusal = { status: number; reason?: RelayRefusal; error: string }

export const isRefusal = (answer: object): answer is Refusal => 'error' in answer

export const revoked: Refusal = { status: 401, reason: 'revoked', error: 'The token was revoked.' }
export const stopping: Refusal = { status: 503, reason: 'stopping', error: 'The relay stops.' }
export const failed: Refusal = {
  status: 503,
  reason: 'storage',
  error: 'The relay could not use its store.',
}

export const answerOf = (answer: object): OtherAnswer => ({
  status: isRefusal(answer) ? answer.status : 200,
  contentType: 'application/json',
  body: JSON.stringify(answer),
})

export type Access = ReturnType<typeof createAccess>

/** Decides which console may use which inbox. `request` is what it asks for, null when that can't be read. */
export const createAccess =
  (inboxes: ReadonlyMap<string, Inbox>, tokens: RelayTokens) =>
  async <Request extends { inbox: string }>(
    req: IncomingMessage,
    query: URLSearchParams,
    version: number,
    request: Request | null,
  ): Promise<{ token: TokenRecord; inbox: Inbox; request: Request } | Refusal> => {
    if (req.headers.origin !== undefined) return { status: 403, error: 'Web pages are refused.' }
    if (query.get('version') !== String(version))
      return {
        status: 426,
        reason: 'version',
        error: `This relay speaks version ${version}. Update the older side.`,
      }
    if (!request) return { status: 400, error: 'The request can’t be read.' }
    const token = await tokens.find(bearerToken(req)).catch(() => null)
    // A 401 would make the console give up.
    if (token === null) return { status: 503, error: 'The tokens can’t be read now.' }
    if (!token || token.inbox === null)
      return { status: 401, reason: 'token', error: 'The token is unknown.' }
    if (!tokens.isValid(token)) return revoked
    const inbox = request.inbox === token.inbox ? inboxes.get(token.inbox) : undefined
    if (!inbox) return { status: 403, reason: 'other-inbox', error: 'This token is for another inbox.' }
    return { token, inbox, request }
  }

/** Resolves when something may have changed, or after `ms`. Made before a look, so that nothing is missed. */
export function nextChange(
  store: Pick<RelayStore, 'onGrew'>,
  woken: Pulse,
  { socket }: IncomingMessage,
  clock: Clock,
  ms: number,
) {
  let wake = () => {}
  const promise = new Promise<void>((resolve) => (wake = resolve))
  const cancels = [store.onGrew(wake), woken.subscribe(wake), clock.after(ms, wake)]
  socket.once('close', wake)
  const cancel = () => {
    for (const one of cancels) one()
    socket.off('close', wake)
  }
  return { promise, cancel }
}
