/** Exchanges the one-time token of a printed link for a session, as the sign-in page does. Returns `name=value`. */
export async function signIn(link: string): Promise<string> {
  const { origin } = new URL(link)
  const response = await exchange(link)
  const cookie = response.headers.get('set-cookie')?.split(';', 1)[0]
  if (response.status !== 204 || cookie === undefined) {
    throw new Error(`${origin} refused its own link: ${response.status} ${await response.text()}`)
  }
  return cookie
}

/** The exchange as a request, with any answer. */
export function exchange(link: string): Promise<Response> {
  const { origin, hash } = new URL(link)
  return fetch(`${origin}/session`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify({ token: hash.replace('#token=', '') }),
  })
}
