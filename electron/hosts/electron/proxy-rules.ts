const schemes: Record<string, string> = {
  PROXY: 'http',
  HTTP: 'http',
  HTTPS: 'https',
  SOCKS5: 'socks5',
}

/**
 * Proxy URLs from Chromium's `PROXY a:8080; SOCKS5 b:1080; DIRECT`, in order; null for DIRECT. Skips
 * unsupported kinds (SOCKS4, QUIC).
 */
export function readProxyRules(rules: string): (string | null)[] {
  return rules.split(';').flatMap((rule) => {
    const [kind = '', host = ''] = rule.trim().split(/\s+/)
    if (kind.toUpperCase() === 'DIRECT') return [null]
    const scheme = schemes[kind.toUpperCase()]
    return scheme && host ? [`${scheme}://${host}`] : []
  })
}
