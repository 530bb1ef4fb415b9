/** Entry of each thread and process, as a path under `electron/` without extension. */
const sources = {
  'core-thread': 'hosts/core-thread',
  'check-thread': 'database/check-thread',
  'contacts-thread': 'jobs/contact-store/contacts-thread',
  'search-thread': 'jobs/contact-store/search-thread',
  'job-thread': 'jobs/thread/job-thread',
  'listener-thread': 'listener/listener-thread',
  'sandbox-thread': 'sandbox/sandbox-thread',
  'keychain-process': 'hosts/keychain/keychain-process',
} as const

export type EntryName = keyof typeof sources

/** The file of a thread or process: `out/main/<name>.js` in the build, its TypeScript source otherwise. */
export function entryUrl(name: EntryName): URL {
  return import.meta.url.endsWith('.ts')
    ? new URL(`../${sources[name]}.ts`, import.meta.url)
    : new URL(`./${name}.js`, import.meta.url)
}
