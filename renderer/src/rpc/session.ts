const tokenPattern = /^#token=([\w-]+)$/

/**
 * Exchanges the one-time token in the address (`#token=…`) for the host’s HttpOnly cookie; removes the token from the address first.
 * Resolves with false when the host refuses it. Without a token it sends nothing: an earlier cookie may still be valid.
 */
export async function exchangeToken(page: Window, request: typeof fetch = fetch): Promise<boolean> {
  const token = tokenPattern.exec(page.location.hash)?.[1]
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
    // The host doesn’t respond: the transport keeps trying and reports it.
    return true
  }
}

/**
 * Reloads a rejected page when a link with a token is opened in its tab, which on its own only changes the part after `#`. Returns its
 * stop.
 */
export function reloadAtNewLink(page: Window): () => void {
  const onHashChange = ({ newURL }: HashChangeEvent) => {
    if (!tokenPattern.test(new URL(newURL).hash)) return
    // The router may have turned the token into a path already.
    page.history.replaceState(null, '', newURL)
    page.location.reload()
  }
  page.addEventListener('hashchange', onHashChange)
  return () => page.removeEventListener('hashchange', onHashChange)
}
