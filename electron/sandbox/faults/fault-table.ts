/** A named fault on requests or on webhook deliveries. */
export interface FaultDefinition {
  name: string
  kind: 'http' | 'webhook'
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
    text: 'After `after` (20) requests every access token expires at once; refresh tokens go on. Happens `count` (1) times.',
  },
  { name: 'error-500', kind: 'http', text: '500; nothing is executed.' },
  { name: 'error-500-after-commit', kind: 'http', text: 'The request is executed, then answered with 500.' },
  { name: 'slow', kind: 'http', text: 'The request is executed and answered after `delayMs` (3000).' },
  {
    name: 'slow-body',
    kind: 'http',
    text: 'Executed; the answer’s body comes in 20 pieces over `delayMs` (10000).',
  },
  { name: 'hang', kind: 'http', text: 'Nothing is executed and no answer comes.' },
  { name: 'hang-after-commit', kind: 'http', text: 'Executed, and no answer comes.' },
  { name: 'reset-before', kind: 'http', text: 'The connection is reset before anything is executed.' },
  {
    name: 'reset-after-commit',
    kind: 'http',
    text: 'The request is executed, then the connection is reset.',
  },
  {
    name: 'html-200',
    kind: 'http',
    text: '200 with an HTML page, as a captive portal answers; nothing is executed.',
  },
  {
    name: 'truncated-body',
    kind: 'http',
    text: 'Executed; the connection closes in the middle of the JSON.',
  },
  {
    name: 'not-json',
    kind: 'http',
    text: 'Executed; a JSON content type with half a JSON text, complete by its length.',
  },
  {
    name: 'huge-body',
    kind: 'http',
    text: 'Nothing is executed; 200 with a JSON body of `sizeBytes` (50000000).',
  },
  {
    name: 'wrong-type',
    kind: 'http',
    text: 'Executed; every value of the answer has another type than the spec’s.',
  },
  { name: 'missing-id', kind: 'http', text: 'Executed; no record of the answer has its `id`.' },
  { name: 'wrong-id', kind: 'http', text: 'Executed; the `id` of the answer is not the record’s.' },
  {
    name: 'unknown-values',
    kind: 'http',
    text: 'Executed; statuses outside the spec’s lists, and fields it does not have.',
  },
  { name: 'empty-204', kind: 'http', text: 'Executed, then answered with 204 and no body.' },
  { name: 'redirect', kind: 'http', text: '302 to another origin (`location`); nothing is executed.' },
  { name: 'unauthorized', kind: 'http', text: '401 whatever the credential.' },
  { name: 'forbidden', kind: 'http', text: '403 whatever the role.' },
  { name: 'refresh-fails', kind: 'http', text: '500 to every refresh.', path: '/auth/refresh' },
  {
    name: 'refresh-denied',
    kind: 'http',
    text: '401 to every refresh, as when the refresh token died.',
    path: '/auth/refresh',
  },
  {
    name: 'refresh-rotates',
    kind: 'http',
    text: 'A refresh also gives a new refresh token and ends the old one.',
    path: '/auth/refresh',
  },
  { name: 'login-html', kind: 'http', text: '200 with an HTML page to every login.', path: '/auth/login' },
  {
    name: 'clock-skew',
    kind: 'http',
    text: 'The Date and X-RateLimit-Reset headers are `skewMs` (600000) ahead.',
    path: '/',
  },
  {
    name: 'reset-header-garbage',
    kind: 'http',
    text: 'X-RateLimit-Reset is in turn a word, empty, milliseconds, negative, past, far ahead, missing.',
    path: '/',
  },
  { name: 'missing-rate-headers', kind: 'http', text: 'None of the three rate headers is sent.', path: '/' },
  {
    name: 'webhook-duplicates',
    kind: 'webhook',
    text: 'Every delivery comes three times, the last a little later.',
  },
  {
    name: 'webhook-out-of-order',
    kind: 'webhook',
    text: 'Deliveries are held and let out in reverse, eight at a time or after 3 s.',
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
  { name: 'webhook-slow', kind: 'webhook', text: 'The body comes in eight pieces over four seconds.' },
  { name: 'webhook-stops', kind: 'webhook', text: 'No delivery is made, and none is made up for later.' },
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
  skewMs?: number
  sizeBytes?: number
  resetSeconds?: number
  /** An absolute URL. */
  location?: string
}
