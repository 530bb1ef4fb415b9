import type { Log } from '#electron/lib/log.ts'

const nothing = () => {}

/** A log that drops everything. */
export const quietLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing }
