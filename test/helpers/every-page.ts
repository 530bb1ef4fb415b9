import { readdirSync } from 'node:fs'
import { contract } from '#contract/contract.ts'
import { AppError } from '#contract/errors.ts'
import type { ScriptChanges } from './scripted-core.ts'

/** Every page of a connection, by its path: the features, as the app finds them. */
export const everyPage = readdirSync(new URL('../../renderer/src/features', import.meta.url)).filter(
  (feature) => feature !== 'connect',
)

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

/** What any list answers when it has nothing. */
export const nothing = {
  items: [],
  subscriptions: [],
  total: 0,
  storedTotal: 0,
  matchingTotal: 0,
  count: { value: 0, exact: true },
  nextCursor: null,
}
