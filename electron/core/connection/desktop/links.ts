/** Pages that a `switchboard://` link may open, with their parameters. None of them changes anything. */
export const linkablePages: Readonly<Record<string, readonly string[]>> = {
  overview: [],
  events: ['number', 'text', 'kind', 'status', 'code', 'from', 'to'],
  inbox: ['show', 'text', 'sender'],
  campaigns: ['id', 'status'],
  messages: ['id'],
  templates: [],
  scheduled: ['text'],
  outbox: ['state', 'text'],
  contacts: ['text', 'state'],
  imports: [],
  dnc: ['tab', 'text'],
  analytics: ['tab'],
  'error-codes': ['code'],
  webhooks: [],
  team: ['show'],
  settings: ['section'],
}

const longestLink = 2_000
const longestValue = 200

/**
 * The page of a link such as `switchboard://events?number=%2B4915112345678`, as `/events?number=…`. Null for any other link:
 * other programs and web pages can make links, so nothing is guessed or repaired.
 */
export function pageOfLink(link: string): string | null {
  if (link.length > longestLink) return null
  const url = URL.parse(link)
  if (url?.protocol !== 'switchboard:') return null
  const hasMore = url.username || url.password || url.port || url.hash
  // Some systems add a slash after the page.
  if (hasMore || !['', '/'].includes(url.pathname) || !Object.hasOwn(linkablePages, url.host)) return null
  const allowed = linkablePages[url.host]!
  const given = [...url.searchParams]
  const names = new Set(given.map(([name]) => name))
  const isAllowed = given.every(
    ([name, value]) => allowed.includes(name) && value.length <= longestValue && !/\p{C}/u.test(value),
  )
  if (!isAllowed || names.size < given.length) return null
  const query = new URLSearchParams(given).toString()
  return `/${url.host}${query === '' ? '' : `?${query}`}`
}
