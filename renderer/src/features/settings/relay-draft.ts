import type { RelayOrder, RelaySettings } from '#contract/live/listener.ts'
import { isLoopbackHost } from '../../shared/format/loopback.ts'
import { t } from './settings.texts.ts'

/** Where events come from, as typed. */
interface RelayDraft {
  mode: RelaySettings['mode']
  url: string
  inbox: string
  token: string
  /** Another token is entered, although one is stored. */
  replaces: boolean
}

/** The settings to start editing from. A saved token is never shown. */
export const toRelayDraft = ({ mode, url, inbox }: RelaySettings): RelayDraft => ({
  mode,
  url: url ?? '',
  inbox: inbox ?? 'main',
  token: '',
  replaces: false,
})

/** The problem of an address that a server is reached at, or null. Plain http stays on this computer. */
export function serverProblem(typed: string): string | null {
  const url = URL.parse(typed.trim())
  if (!url || !['https:', 'http:'].includes(url.protocol)) return t('relay.notUrl')
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) return t('relay.notHttps')
  return url.search || url.hash || url.username || url.password ? t('relay.onlyAddress') : null
}

/** Whether the stored token may be used: another server must not get it. */
export const keepsToken = (saved: RelaySettings, { url }: RelayDraft): boolean =>
  saved.hasToken && (URL.parse(saved.url ?? '')?.origin ?? null) === (URL.parse(url.trim())?.origin ?? null)

/** What to save; null while something is missing or wrong. */
export function toRelayOrder(saved: RelaySettings, draft: RelayDraft): RelayOrder | null {
  const token = draft.token.trim()
  const given = token === '' ? {} : { token }
  // Without a relay its fields are hidden, so what was saved stays.
  if (draft.mode === 'local') return { mode: 'local', url: saved.url, inbox: saved.inbox }
  const isComplete = draft.inbox.trim() !== '' && (token !== '' || keepsToken(saved, draft))
  if (serverProblem(draft.url) !== null || !isComplete) return null
  return { mode: draft.mode, url: draft.url.trim().replace(/\/+$/, ''), inbox: draft.inbox.trim(), ...given }
}
