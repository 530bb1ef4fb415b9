import { HttpsProxyAgent } from 'https-proxy-agent'
import type { IncomingMessage } from 'node:http'
import { WebSocket } from 'ws'
import type { Said } from '../contract/phrases.ts'
import { feedFrameBytes, feedProtocol } from './feed-protocol.ts'
import type { FeedRefusal } from './protocol.ts'

const handshakeMs = 10_000
/** Longest answer of a refused connection that is read. */
const answerBytes = 1_024

function refusalOf(status: number, answer: string): FeedRefusal | null {
  if (status === 401) return answer.includes('revoked') ? 'revoked' : 'token'
  if (status === 426) return 'version'
  return status === 404 ? 'not-a-relay' : null
}

/** Opens the feed's WebSocket. `onRefused` is called before `close` when it was answered otherwise. */
export function openFeedSocket(
  { url, token, proxy, ca }: { url: string; token: string; proxy: string | null; ca?: string | undefined },
  onRefused: (failure: Said, refusal: FeedRefusal | null) => void,
): WebSocket {
  let proxyStatus = 200
  const socket = new WebSocket(url, feedProtocol, {
    headers: { Authorization: `Bearer ${token}` },
    maxPayload: feedFrameBytes,
    perMessageDeflate: false,
    handshakeTimeout: handshakeMs,
    ...(proxy === null ? {} : { agent: new HttpsProxyAgent(proxy) }),
    // A refusal by the proxy arrives like an answer of the relay.
    finishRequest(request) {
      request.once('proxyConnect', ({ statusCode }: { statusCode: number }) => (proxyStatus = statusCode))
      request.end()
    },
    ...(ca === undefined ? {} : { ca }),
  })
  socket.on('unexpected-response', (_request, response: IncomingMessage) => {
    let answer = ''
    response.setEncoding('utf8')
    response.on('data', (text: string) => {
      answer += text
      if (answer.length > answerBytes) response.destroy()
    })
    response.once('close', () => {
      const status = response.statusCode ?? 0
      if (proxyStatus === 200) onRefused(`HTTP ${status}`, refusalOf(status, answer))
      else {
        const { host } = new URL(proxy!)
        onRefused({ key: 'relay.proxyStatus', proxy: host, status: String(proxyStatus) }, null)
      }
      socket.terminate()
    })
  })
  return socket
}
