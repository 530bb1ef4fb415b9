import type { IncomingMessage } from 'node:http'
import type { Clock } from '../lib/clock.ts'
import { createPulse } from '../lib/pulse.ts'
import type { RelayRefusal } from '../listener/feed-protocol.ts'
import type { OtherAnswer } from '../listener/http-server.ts'
import type { Inbox } from './inbox.ts'
import type { RelayStore } from './store.ts'
import { bearerToken, type RelayTokens, type TokenRecord } from './tokens.ts'

export type Refusal = { status: number; reason?: RelayRefusal; error: string }

export const isRefusal = (answer: object): answer is Refusal => 'error' in answer

const revoked: Refusal = { status: 401, reason: 'revoked', error: 'The token was revoked.' }
const stopping: Refusal = { status: 503, reason: 'stopping', error: 'The relay stops.' }
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

/** Requests of consoles that wait for something new. */
export type Waiting = ReturnType<typeof createWaiting>

export function createWaiting(tokens: RelayTokens, clock: Clock) {
  const woken = createPulse()
  let isStopping = false

  return {
    /** The first page that `isNews`, or a refusal; after `waitMs`, the page as it is then. Looks again after each change. */
    async nextPage<Page extends object>(
      { socket }: IncomingMessage,
      { token, store, waitMs }: { token: TokenRecord; store: Pick<RelayStore, 'onGrew'>; waitMs: number },
      look: () => Promise<Page | Refusal>,
      isNews: (page: Page) => boolean,
    ): Promise<Page | Refusal> {
      const untilMs = clock.monotonic() + waitMs
      for (;;) {
        const restMs = Math.max(0, untilMs - clock.monotonic())
        const change = Promise.withResolvers<undefined>()
        const wake = () => change.resolve(undefined)
        // Before the look, so that nothing is missed.
        const cancels = [store.onGrew(wake), woken.subscribe(wake), clock.after(restMs, wake)]
        socket.once('close', wake)
        try {
          if (isStopping) return stopping
          if (!tokens.isValid(token)) return revoked
          const page = await look()
          if (isRefusal(page) || isNews(page) || restMs === 0 || socket.destroyed) return page
          await change.promise
        } finally {
          for (const cancel of cancels) cancel()
          socket.off('close', wake)
        }
      }
    },
    /** Waiting requests look again; those of revoked tokens end. */
    lookAgain: woken.fire,
    /** Requests that wait are answered; later ones are refused. */
    stop(): void {
      isStopping = true
      woken.fire()
    },
  }
}
