import { createTexts, languageOf } from '../../contract/texts.ts'
import en from '../start.en.json' with { type: 'json' }
import es from '../start.es.json' with { type: 'json' }

/**
 * Shown without a session: signs in with the token of the address (`#token=…`) and loads the console, or asks
 * the host to print a new link. Holds no secret. The page is in the language of `accepted`, the browser's `Accept-Language`.
 */
export function signInPage(nonce: string, accepted = ''): string {
  const language = languageOf(accepted)
  const t = createTexts({ en, es }, () => language)
  const said = ['used', 'noLink', 'noAnswer'] as const
  const texts = Object.fromEntries(said.map((key) => [key, t(`signIn.${key}`)]))
  return `<!doctype html>
<html lang="${language}">
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
  <p role="status">${t('signIn.signingIn')}</p>
  <noscript><p>${t('signIn.script')}</p></noscript>
</main>
<script type="module" nonce="${nonce}">
  const texts = ${JSON.stringify(texts)}
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
    else {
      await send('/session/link', {})
      say(token ? texts.used : texts.noLink)
    }
  } catch {
    say(texts.noAnswer)
  }
</script>
</html>
`
}

/** The page's policy: two inline parts by nonce, requests to its own address. */
export const signInPolicy = (nonce: string): string =>
  `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; connect-src 'self'; img-src data:; ` +
  `base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
