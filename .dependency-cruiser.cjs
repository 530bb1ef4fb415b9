/**
 * The import law: who may import whom. A failure names the file, the import and the rule.
 * @type {import('dependency-cruiser').IConfiguration}
 */
const only = (name, from, allowed, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from },
  to: { path: '^(electron|renderer|test)/', pathNot: [from, ...allowed] },
})

/**
 * The groups of core, ground first: a group imports only those before it. Inside a group, each feature lists the features of the same
 * group that it may import; all may import `parts.ts`.
 */
const coreGroups = {
  platform: {
    rpc: [],
    settings: [],
    files: ['rpc'],
    tasks: ['rpc'],
    answers: ['rpc'],
    notifications: ['rpc', 'settings'],
    'file-tasks': ['files', 'tasks'],
  },
  service: {
    wire: [],
    'rate-limit': [],
    credentials: ['wire', 'rate-limit'],
    client: ['wire', 'rate-limit', 'credentials'],
    'field-names': ['client'],
  },
  people: {
    'contact-store': [],
    'guess-columns': [],
    tables: ['guess-columns'],
    sheets: [],
    dnc: ['contact-store', 'tables'],
    team: ['dnc'],
    outbox: ['contact-store', 'dnc'],
    imports: ['contact-store', 'dnc', 'tables'],
    contacts: ['contact-store', 'outbox', 'dnc', 'team'],
    templates: ['contact-store', 'outbox', 'dnc', 'tables'],
  },
  live: {
    events: [],
    listener: ['events'],
    'signed-exports': ['events'],
    inbox: ['events'],
    recovery: ['events'],
    retention: ['events', 'listener'],
    webhooks: ['events', 'listener'],
  },
  views: {
    overview: [],
    campaigns: [],
    messages: [],
    scheduled: [],
    'send-reports': [],
    analytics: [],
    'error-codes': [],
  },
  connection: {},
}
/** The folders of jobs, and which of them each may import. */
const jobFolders = {
  run: [],
  table: ['run'],
  sheets: ['run', 'table'],
  'contact-store': ['run', 'table'],
  imports: ['run', 'table', 'contact-store'],
  dnc: ['run', 'table', 'contact-store'],
  sends: ['run', 'table', 'contact-store', 'imports'],
  events: ['run'],
  'signed-exports': ['run', 'events'],
  backup: ['run'],
}
const underCore = ['^electron/(contract|database|jobs|lib|listener|threads)/', '^electron/core/ports\\.ts$']
const coreLaw = Object.entries(coreGroups).flatMap(([group, features], at, all) => [
  only(`core-${group}`, `^electron/core/${group}/`, [
    ...underCore,
    ...all.slice(0, at).map(([below]) => `^electron/core/${below}/`),
  ]),
  ...Object.entries(features).map(([feature, allowed]) => ({
    name: `core-${group}-${feature}`,
    severity: 'error',
    from: { path: `^electron/core/${group}/${feature}[/.]` },
    to: {
      path: `^electron/core/${group}/`,
      pathNot: [feature, 'parts', ...allowed].map((one) => `^electron/core/${group}/${one}[/.]`),
    },
  })),
])

module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      comment: 'a type import counts too',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-unresolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^virtual:' },
    },
    only('lib-is-the-floor', '^electron/lib/', [], 'lib imports nothing of ours'),
    ...Object.keys(coreGroups).map((group, at, all) =>
      only(
        `contract-${group}`,
        `^electron/contract/${group}/`,
        ['^electron/contract/[^/]+$', ...all.slice(0, at).map((below) => `^electron/contract/${below}/`)],
        'the contract is grouped as the core',
      ),
    ),
    only('contract-stands-alone', '^electron/contract/', [], 'the contract imports only its schema library'),
    only('database-on-lib', '^electron/database/', [
      '^electron/lib/',
      '^electron/contract/(errors|phrases|texts)',
    ]),
    only('threads-on-database-and-lib', '^electron/threads/', [
      '^electron/(lib|database)/',
      '^electron/contract/(errors|phrases|texts)',
    ]),
    only('listener-on-database-and-lib', '^electron/listener/', [
      '^electron/(lib|database|threads)/',
      '^electron/contract/(errors|phrases|texts)',
    ]),
    only(
      'relay-on-listener-database-and-lib',
      '^electron/relay/',
      ['^electron/(listener|database|lib|threads)/', '^electron/contract/(errors|phrases|texts)'],
      'a server runs the relay without the console',
    ),
    only('jobs-on-database-and-lib', '^electron/jobs/', ['^electron/(lib|database|threads|contract)/']),
    {
      name: 'jobs-without-schemas',
      comment: 'a job thread starts without the schema library, so it imports only types of the contract',
      severity: 'error',
      from: { path: '^electron/jobs/' },
      to: {
        path: '^electron/contract/',
        pathNot:
          '^electron/contract/(errors|phrases|texts|strict-number|people/(column-order|consent-values))',
        dependencyTypesNot: ['type-only'],
      },
    },
    ...Object.entries(jobFolders).map(([folder, allowed]) => ({
      name: `jobs-${folder}`,
      severity: 'error',
      from: { path: `^electron/jobs/${folder}/` },
      to: { path: '^electron/jobs/', pathNot: [folder, ...allowed].map((one) => `^electron/jobs/${one}/`) },
    })),
    only('core-law', '^electron/core/', ['^electron/(contract|database|jobs|lib|listener|threads)/']),
    ...coreLaw,
    only(
      'sandbox-alone',
      '^electron/sandbox/',
      ['^electron/lib/'],
      'core and sandbox meet over HTTP only: each has its own reading of the spec',
    ),
    only('renderer-sees-the-contract', '^renderer/', ['^electron/contract/']),
    {
      name: 'the-app-runs-on-dependencies',
      comment:
        'what is bundled must be in "dependencies", so that npm audit --omit=dev and the licence notices see it',
      severity: 'error',
      from: { path: '^(electron|renderer/src)/', pathNot: '^electron/hosts/start/' },
      to: {
        dependencyTypes: ['npm-dev'],
        dependencyTypesNot: ['type-only'],
        pathNot: 'node_modules/(electron|@types)/',
      },
    },
    {
      name: 'sandbox-only-from-hosts-and-tests',
      severity: 'error',
      from: { path: '^(electron|renderer)/', pathNot: ['^electron/sandbox/', '^electron/hosts/'] },
      to: { path: '^electron/sandbox/' },
    },
    {
      name: 'relay-only-from-tests',
      severity: 'error',
      from: { path: '^(electron|renderer)/', pathNot: '^electron/relay/' },
      to: { path: '^electron/relay/' },
    },
    {
      name: 'nats-only-under-relay-nats',
      comment: 'the relay imports that folder when it is asked for; the app never ships these libraries',
      severity: 'error',
      from: { path: '^(electron|renderer)/', pathNot: '^electron/relay/nats/' },
      to: { path: 'node_modules/@nats-io/' },
    },
    {
      name: 'nats-only-when-asked-for',
      severity: 'error',
      from: { path: '^electron/', pathNot: '^electron/relay/nats/' },
      to: { path: '^electron/relay/nats/', dynamic: false },
    },
    {
      name: 'a-feature-never-another-feature',
      severity: 'error',
      from: { path: '^renderer/src/features/([^/]+)/' },
      to: { path: '^renderer/src/features/([^/]+)/', pathNot: '^renderer/src/features/$1/' },
    },
    {
      name: 'renderer-shared-knows-no-feature',
      severity: 'error',
      from: { path: '^renderer/src/(shared|rpc)/' },
      to: { path: '^renderer/src/(features|app)/' },
    },
    {
      name: 'electron-only-under-hosts-electron',
      severity: 'error',
      from: { path: '^(electron|renderer)/', pathNot: '^electron/hosts/electron/' },
      to: { path: '(^electron$|node_modules/electron/)' },
    },
    {
      name: 'keytar-only-under-hosts-keychain',
      severity: 'error',
      from: { path: '^(electron|renderer|test)/', pathNot: '^electron/hosts/keychain/' },
      to: { path: 'node_modules/(@github/)?keytar' },
    },
    {
      name: 'sqlite-only-under-database',
      severity: 'error',
      from: { path: '^(electron|renderer)/', pathNot: '^electron/database/' },
      to: { path: 'node_modules/better-sqlite3', dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
    },
  },
}
