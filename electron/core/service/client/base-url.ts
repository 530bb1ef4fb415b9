import { AppError } from '../../../contract/errors.ts'
import { isLoopbackHost } from '../../../lib/loopback.ts'

interface BaseUrl {
  /** e.g. `https://api.example.com/v1`. */
  url: string
  host: string
}

/**
 * Parses a Base URL (spec: it ends with the version prefix; not enforced). `allowPlainHttpHosts`: host names, with or
 * without port, allowed over plain http. BASE_URL_INVALID, BASE_URL_WITH_CREDENTIALS, BASE_URL_NOT_HTTPS; none
 * repeats credentials of the address.
 */
export function parseBaseUrl(text: string, allowPlainHttpHosts: readonly string[] = []): BaseUrl {
  const trimmed = text.trim()
  const invalid = (shown: string) => new AppError('BASE_URL_INVALID', { baseUrl: shown.slice(0, 200) })
  if (!URL.canParse(trimmed)) throw invalid(trimmed.replace(/\/\/[^/]*@/, '//'))
  const url = new URL(trimmed)
  const shown = `${url.protocol}//${url.host}${url.pathname}`
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw invalid(shown)
  if (url.username || url.password) throw new AppError('BASE_URL_WITH_CREDENTIALS')
  if (!url.hostname || url.search || url.hash) throw invalid(shown)
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) {
    const allowed = allowPlainHttpHosts.map((host) => host.trim().toLowerCase())
    if (!allowed.includes(url.hostname) && !allowed.includes(url.host))
      throw new AppError('BASE_URL_NOT_HTTPS', { baseUrl: shown.slice(0, 200) })
  }
  return { url: `${url.origin}${url.pathname.replace(/\/+$/, '')}`, host: url.host }
}
