import { getProxyForUrl } from 'proxy-from-env'

/** The proxy of HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY for an origin, as a URL; null for none. */
export function environmentProxy(origin: string): string | null {
  return getProxyForUrl(origin) || null
}
