import type * as Undici from 'undici'
import { trustSystemAuthorities } from '../../../lib/authorities.ts'
import type { Log } from '../../../lib/log.ts'
import { isLoopbackHost } from '../../../lib/loopback.ts'
import { untilAborted } from '../../../lib/until-aborted.ts'
import { createDirectFetch, type ServiceAnswer, type ServiceRequest } from './direct-fetch.ts'

/** Proxies to try in this order, as URLs; null is a direct connection. */
type ResolveProxies = (origin: string) => Promise<readonly (string | null)[]>

/** The proxy did not forward the request, so nothing reached the service. Contains no credentials. */
export class ProxyFailure extends Error {
  /** Host with port. */
  readonly proxy: string
  /** The proxy's answer, or null when it could not be reached. */
  readonly status: number | null

  constructor(proxy: string, status: number | null, cause?: unknown) {
    super(`proxy ${proxy} ${status === null ? 'unreachable' : `answered ${status}`}`, { cause })
    this.proxy = proxy
    this.status = status
  }
}

const badProxyAddress = 'an invalid address'

/** Host with port of a proxy URL, without its credentials. */
function hostOf(proxy: string): string {
  return URL.canParse(proxy) ? new URL(proxy).host : badProxyAddress
}

/** Undici's codes when the connection to the proxy fails. Behind a proxy, undici connects to nothing else. */
const unreachableCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_PRX_CONN',
  'UND_ERR_PRX_TLS',
])

function proxyFailure(proxy: string, thrown: unknown): ProxyFailure | null {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    const { code = '', syscall = '' } = error as { code?: string; syscall?: string }
    const status = /Proxy response \((\d+)\)/.exec(error.message)?.[1]
    if (status !== undefined) return new ProxyFailure(proxy, Number(status), thrown)
    if (error.message.startsWith('Proxy Authentication Required')) return new ProxyFailure(proxy, 407, thrown)
    if (unreachableCodes.has(code) || syscall === 'connect' || syscall === 'getaddrinfo')
      return new ProxyFailure(proxy, null, thrown)
    if (error instanceof AggregateError && error.errors.length > 0)
      return proxyFailure(proxy, error.errors[0]) && new ProxyFailure(proxy, null, thrown)
  }
  return null
}

export type ServiceFetch = ReturnType<typeof createServiceFetch>

/**
 * `fetch` for the service: through the host's proxies, trusting the system's certificate authorities and those of
 * NODE_EXTRA_CA_CERTS. Connects to this computer directly. Throws `ProxyFailure` when no proxy forwarded the request.
 */
export function createServiceFetch({ resolveProxies, log }: { resolveProxies: ResolveProxies; log: Log }) {
  const direct = createDirectFetch()
  const agents = new Map<string, Undici.Dispatcher>()
  let trusts = false

  function agentFor({ ProxyAgent }: typeof Undici, proxy: string): Undici.Dispatcher {
    let agent = agents.get(proxy)
    if (!agent) {
      // Only HTTP/1.1: an HTTP/2 failure does not always show whether the request left.
      agent = new ProxyAgent({ uri: proxy, allowH2: false })
      agents.set(proxy, agent)
    }
    return agent
  }

  async function proxiesOf(url: URL): Promise<readonly (string | null)[]> {
    if (isLoopbackHost(url.hostname)) return [null]
    try {
      const proxies = await resolveProxies(url.origin)
      return proxies.length > 0 ? proxies : [null]
    } catch (error) {
      log.warn('Could not read the proxy settings; connecting directly', { error })
      return [null]
    }
  }

  async function throughProxy(
    url: URL,
    { onOpen, ...init }: ServiceRequest,
    proxy: string,
  ): Promise<ServiceAnswer> {
    if (!URL.canParse(proxy)) throw new ProxyFailure(badProxyAddress, null)
    // Loaded only behind a proxy: undici is half the core's code.
    const undici = await import('undici')
    let isOpen = false
    try {
      // Undici starts a request when its connection is open, through the proxy's tunnel.
      const dispatcher = agentFor(undici, proxy).compose((dispatch) => (options, handler) => {
        const start = handler.onRequestStart
        handler.onRequestStart = function (...given) {
          isOpen = true
          onOpen?.()
          start?.apply(this, given)
        }
        return dispatch(options, handler)
      })
      return await undici.fetch(url, { ...init, redirect: 'manual', dispatcher })
    } catch (error) {
      // Once the tunnel is open the request may have left, and no other proxy may send it again.
      throw (isOpen ? null : proxyFailure(hostOf(proxy), error)) ?? error
    }
  }

  return {
    async fetch(input: string | URL, init: ServiceRequest = {}): Promise<ServiceAnswer> {
      const url = new URL(input)
      if (!trusts && url.protocol === 'https:') {
        trusts = true
        trustSystemAuthorities(log)
      }
      const proxies = await untilAborted(proxiesOf(url), init.signal)
      let failed: ProxyFailure | undefined
      for (const proxy of proxies) {
        try {
          return await (proxy === null ? direct.fetch(url, init) : throughProxy(url, init, proxy))
        } catch (error) {
          if (!(error instanceof ProxyFailure) || error.status !== null) throw error
          failed ??= error
        }
      }
      throw failed!
    },
    async proxyHost(url: string): Promise<string | null> {
      const [first = null] = await proxiesOf(new URL(url))
      return first === null ? null : hostOf(first)
    },
    async close(): Promise<void> {
      direct.close()
      await Promise.all([...agents.values()].map((agent) => agent.destroy()))
      agents.clear()
    },
  }
}
