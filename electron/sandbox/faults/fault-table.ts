/** A named fault on requests, on webhook deliveries, or on both. */
export interface FaultDefinition {
  name: string
  kind: 'http' | 'webhook' | 'both'
  /** What a client sees. */
  text: string
  /** Limits it to this path, unless the options name another. Default: every path but `/auth`. */
  path?: string
}

export const faultTable = [
  {
    name: 'rate-limited',
    kind: 'http',
    text: '429 with nothing remaining and a reset `resetSeconds` (5) ahead; nothing is executed.',
  },
  {
    name: 'token-expires-mid-batch',
    kind: 'http',
    text: 'After `after` (20) requests every access token expires at once; refresh tokens stay valid. Happens `count` (1) times.',
  },
  { name: 'error-500', kind: 'http', text: '500; nothing is executed.' },
  { name: 'error-500-after-commit', kind: 'http', text: 'Executed, then answered with 500.' },
  { name: 'slow', kind: 'http', text: 'Executed, then answered after `delayMs` (3000).' },
  { name: 'hang', kind: 'http', text: 'Nothing is executed; no answer.' },
  { name: 'hang-after-commit', kind: 'http', text: 'Executed; no answer.' },
  { name: 'reset-before', kind: 'http', text: 'The connection is reset before anything is executed.' },
  { name: 'reset-after-commit', kind: 'http', text: 'Executed, then the connection is reset.' },
  { name: 'html-200', kind: 'http', text: '200 with a captive portal’s HTML page; nothing is executed.' },
  {
    name: 'truncated-body',
    kind: 'http',
    text: 'Executed; the connection closes in the middle of the JSON.',
  },
  { name: 'missing-id', kind: 'http', text: 'Executed; records have no `id`.' },
  { name: 'unknown-values', kind: 'http', text: 'Executed; statuses and fields outside the spec.' },
  { name: 'unauthorized', kind: 'http', text: '401 for any credential.' },
  { name: 'forbidden', kind: 'http', text: '403 for any role.' },
  { name: 'refresh-fails', kind: 'http', text: '500 for every refresh.', path: '/auth/refresh' },
  {
    name: 'refresh-denied',
    kind: 'http',
    text: '401 for every refresh, as with a dead refresh token.',
    path: '/auth/refresh',
  },
  {
    name: 'webhook-duplicates',
    kind: 'webhook',
    text: 'Every delivery arrives three times, the last a little later.',
  },
  {
    name: 'webhook-out-of-order',
    kind: 'webhook',
    text: 'Deliveries arrive in reverse, eight at a time or after 3 s.',
  },
  { name: 'webhook-bad-signature', kind: 'webhook', text: 'The signature is wrong in one character.' },
  {
    name: 'webhook-unsigned',
    kind: 'webhook',
    text: 'No signature header, though the subscription has a secret.',
  },
  {
    name: 'webhook-odd-body',
    kind: 'webhook',
    text: 'Signed bodies that are not JSON, of unknown kind, nested, empty, large…',
  },
  {
    name: 'page-cap',
    kind: 'http',
    text: 'Lists have at most `perPage` (50) records on a page, and say so.',
  },
  { name: 'unreadable-record', kind: 'http', text: 'The first record of every list is a text.' },
  { name: 'year-one', kind: 'http', text: 'Every time is in the year 1.' },
  { name: 'capital-status', kind: 'both', text: 'Statuses of records and reports are in capitals.' },
  {
    name: 'byte-order-mark',
    kind: 'webhook',
    text: 'Bodies begin with a byte order mark, which is signed too.',
  },
  { name: 'no-text', kind: 'webhook', text: 'Inbound messages have no, a null or an empty text, by turns.' },
  { name: 'odd-target', kind: 'webhook', text: 'Addresses end with a slash and a query.' },
  { name: 'webhook-stops', kind: 'webhook', text: 'Nothing is delivered, now or later.' },
] as const satisfies readonly FaultDefinition[]

export type FaultName = (typeof faultTable)[number]['name']

export interface FaultOptions {
  /** Share of requests or deliveries it hits, 0 to 1; default 1, seeded. */
  probability?: number
  /** Only paths (below the base URL) that start with this. */
  path?: string
  method?: string
  /** Ends after this many hits; default: until cleared. */
  count?: number
  /** Matching requests that pass first. */
  after?: number
  delayMs?: number
  resetSeconds?: number
  perPage?: number
}
