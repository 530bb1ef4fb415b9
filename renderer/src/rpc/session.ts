/**
 * Exchanges the one-time token of the address (`#token=…`) for the host's HttpOnly cookie, and takes the token out of
 * the address before anything else happens. Resolves with false when the host refuses the token.
 * Without a token in the address nothing is asked: the cookie of an earlier exchange may still hold.
 */
export async function exchangeToken(page: Window, request: typeof fetch = fetch): Promise<boolean> {
  const token = /^#token=([\w-]+)$/.exec(page.location.hash)?.[1]
  if (token === undefined) return true
  page.history.replaceState(null, '', page.location.pathname)
  try {
    const { status } = await request('/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
      cache: 'no-store',
    })
    return status !== 401 && status !== 403
  } catch {
    // No host, no answer: the transport keeps trying and says so.
    return true
  }
}
