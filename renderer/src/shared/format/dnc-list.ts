import type { DncList } from '#contract/dnc.ts'
import { formatAge } from './time.ts'

/** What a copy of the Do Not Contact list that cannot tell who is on it means for an action; null for one that can. */
export function listWarning({ state, asOf }: DncList, nowMs = Date.now()): string | null {
  switch (state) {
    case 'fresh':
      return null
    case 'never':
      return 'The Do Not Contact list was never synced: it is not known who of them is on it.'
    case 'stale':
      return `The copy of the Do Not Contact list is too old${asOf === null ? '' : ` (${formatAge(asOf, nowMs)})`}: who came onto it since is not known.`
    case 'partial':
      return 'The copy of the Do Not Contact list is not whole: a sync did not come to its end, so it is not known who of them is on it.'
  }
}
