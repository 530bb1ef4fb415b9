const tokenPattern = /^#token=([\w-]+)$/

/**
 * Exchanges the one-time token of the address (`#token=…`) for the host's HttpOnly cookie, and takes the token out of
 * the address before anything else happens. Resolves with false when the host refuses the token.
 * Without a token in the address nothing is asked: the cookie of an earlier exchange may still hold.
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
    // No host, no answer: the transport keeps trying and says so.
    return true
  }
}

/**
 * Loads the page anew when a link with a token is opened in its tab, which by itself only changes the part after the `#`.
 * For a page that was not let in. Returns its undo.
 */
export function reloadAtNewLink(page: Window): () => void {
  const onHashChange = ({ newURL }: HashChangeEvent) => {
    if (!tokenPattern.test(new URL(newURL).hash)) return
    // The router may have made a path of its own out of the token already.
    page.history.replaceState(null, '', newURL)
    page.location.reload()
  }
  page.addEventListener('hashchange', onHashChange)
  return () => page.removeEventListener('hashchange', onHashChange)
}
