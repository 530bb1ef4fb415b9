import { HttpsProxyAgent } from 'https-proxy-agent'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Said } from '../contract/phrases.ts'
import type { Clock } from '../lib/clock.ts'
import { http, https } from '../lib/http.ts'
import { feedPageBytes, readFeedRefusal } from './feed-protocol.ts'
import type { FeedRefusal } from './protocol.ts'

export type FeedAnswer =
  | { kind: 'page'; text: string }
  | { kind: 'refused'; reason: FeedRefusal }
  | { kind: 'failed'; detail: Said }

/** Asks a relay over one connection, through `proxy` unless it is null. */
export function openFeedRequests({
  url,
  token,
  proxy,
  ca,
  clock,
}: {
  url: URL
  token: string
  proxy: string | null
  ca: string | undefined
  clock: Clock
}) {
  const { request: send, Agent } = url.protocol === 'https:' ? https : http
  const kept = { keepAlive: true, maxSockets: 1 }
  const agent = proxy === null ? new Agent(kept) : new HttpsProxyAgent(proxy, kept)
  const headers = { Authorization: `Bearer ${token}` }

  function answerOf(status: number, text: string, proxyStatus: number): FeedAnswer {
    if (proxyStatus !== 200) {
      const { host } = new URL(proxy!)
      return {
        kind: 'failed',
        detail: { key: 'relay.proxyStatus', proxy: host, status: String(proxyStatus) },
      }
    }
    if (status === 200) return { kind: 'page', text }
    const reason = readFeedRefusal(text) ?? (status === 404 ? 'not-a-relay' : null)
    if (reason === 'stopping' || reason === 'storage')
      return { kind: 'failed', detail: { key: `relay.${reason}` } }
    return reason ? { kind: 'refused', reason } : { kind: 'failed', detail: `HTTP ${status}` }
  }

  return {
    /** Rejects when the connection fails, or when nothing arrives for `silentMs`. `post`: the JSON to send. */
    async ask(
      query: URLSearchParams,
      silentMs: number,
      stopped: AbortSignal,
      post?: string,
    ): Promise<FeedAnswer> {
      const silent = new AbortController()
      const signal = AbortSignal.any([stopped, silent.signal])
      let cancel = () => {}
      const alive = () => {
        cancel()
        cancel = clock.after(silentMs, () => silent.abort())
      }
      alive()
      const target = new URL(url)
      target.search = query.toString()
      let proxyStatus = 200
      try {
        const method = post === undefined ? 'GET' : 'POST'
        const request = send(target, { agent, headers, ca, signal, method })
        // A refusal by the proxy arrives like an answer of the relay.
        request.once('proxyConnect', ({ statusCode }: { statusCode: number }) => (proxyStatus = statusCode))
        // Once the answer begins, its stream tells of errors.
        request.on('error', () => {})
        request.end(post)
        const [response] = (await once(request, 'response')) as [IncomingMessage]
        const chunks: Buffer[] = []
        let sizeBytes = 0
        for await (const chunk of response as AsyncIterable<Buffer>) {
          alive()
          sizeBytes += chunk.length
          if (sizeBytes > feedPageBytes)
            return { kind: 'failed', detail: { key: 'relay.protocol', reason: 'The answer is too long' } }
          chunks.push(chunk)
        }
        return answerOf(response.statusCode!, Buffer.concat(chunks).toString(), proxyStatus)
      } catch (error) {
        if (silent.signal.aborted) return { kind: 'failed', detail: { key: 'relay.noAnswer' } }
        throw error
      } finally {
        cancel()
      }
    },
    close: () => agent.destroy(),
  }
}
