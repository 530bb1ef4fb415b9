import { contract } from '#contract/contract.ts'
import { AppError } from '#contract/errors.ts'
import type { ScriptChanges } from './scripted-core.ts'

/** Every page of a connection, by its path. */
export const everyPage = [
  ...['overview', 'events', 'inbox', 'campaigns', 'messages', 'templates', 'scheduled', 'outbox'],
  ...['contacts', 'imports', 'dnc', 'analytics', 'webhooks', 'error-codes', 'settings', 'connections'],
]

const callsOfShell = ['status', 'connections', 'settings', 'tasks', 'notifications', 'desktop', 'files']

/** The same answer to every call of the pages. The shell's own calls keep theirs. */
const toEveryPage = (answer: () => unknown) =>
  Object.fromEntries(
    Object.entries(contract)
      .filter(([feature]) => !callsOfShell.includes(feature))
      .map(([feature, calls]) => [
        feature,
        Object.fromEntries(Object.keys(calls).map((call) => [call, answer])),
      ]),
  ) as ScriptChanges

/** States that every page has: its data loads, or can't be read. */
export const pageStates = {
  loading: toEveryPage(() => new Promise(() => {})),
  failed: toEveryPage(() => {
    throw new AppError('SERVICE_UNREACHABLE', { host: 'api.example.com', detail: 'connection refused' })
  }),
} satisfies Record<string, ScriptChanges>
