import type { Status } from '#contract/connection/status.ts'

/** Whether the service answers, but only with errors of its own. */
export const isFailing = ({ reachable, problem }: Status['network']): boolean =>
  reachable === false && problem?.code === 'SERVICE_FAILED'
