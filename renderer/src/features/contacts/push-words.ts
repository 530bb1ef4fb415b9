import type { Status } from '#contract/status.ts'

/** Why requests that are queued now would wait in the outbox; null where nothing known keeps them. */
export function whyTheyWait({ network, session }: Pick<Status, 'network' | 'session'>): string | null {
  if (session.state === 'expired' || session.state === 'signed-out')
    return 'Nobody is signed in to the service now: what is queued waits in the outbox until somebody is.'
  return network.reachable === false
    ? 'The service cannot be reached now: what is queued waits in the outbox until it can.'
    : null
}
