/**
 * SQL: whether a message was sent since a time or may still leave. It may have been queued long before, for a later start. `since`: the
 * SQL of the time.
 */
export const isLately = (since: string): string =>
  `(coalesce(sent_ms, queued_ms) >= ${since} OR state IN ('undoable', 'scheduled', 'queued', 'blocked', 'in-flight', 'unknown'))`
