/**
 * Shown without a session: signs in with the token of the address (`#token=…`) and loads the console, or asks
 * the host to print a new link. Holds no secret.
 */
export const signInPage = (nonce: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="dark light">
<meta name="referrer" content="no-referrer">
<title>Switchboard</title>
<link rel="icon" href="data:,">
<style nonce="${nonce}">
  body { font: 16px/1.5 system-ui, sans-serif; display: grid; place-content: center; min-height: 90vh; margin: 0 1rem; }
  main { max-width: 34rem; }
</style>
<main>
  <h1>Switchboard</h1>
  <p role="status">Signing in…</p>
  <noscript><p>Switchboard needs JavaScript. Nothing was changed. Allow it for this page and reload.</p></noscript>
</main>
<script type="module" nonce="${nonce}">
  const token = /^#token=([\\w-]+)$/.exec(location.hash)?.[1] ?? ''
  history.replaceState(null, '', '/')
  // A new link pasted into this tab only changes the part after the #.
  addEventListener('hashchange', () => location.reload())
  const send = (path, body) =>
    fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body), cache: 'no-store' })
  const say = (text) => { document.querySelector('[role=status]').textContent = text }
  try {
    const { status } = await send('/session', { token })
    if (status === 204) location.replace('/')
    else if (status === 429) say('Too many wrong links were tried. Wait a minute and reload.')
    else {
      await send('/session/link', {})
      say((token ? 'This link was already used or replaced.' : 'This page was opened without its link.') +
        ' Open the newest link from the terminal where Switchboard runs.')
    }
  } catch {
    say('Switchboard is not responding. Your data is safe. Start it again and open the link it prints.')
  }
</script>
</html>
`

/** The page's policy: two inline parts by nonce, requests to its own address. */
export const signInPolicy = (nonce: string): string =>
  `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; connect-src 'self'; img-src data:; ` +
  `base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
