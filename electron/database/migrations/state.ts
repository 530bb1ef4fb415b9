import type { Migration } from '../migrate.ts'

/** The steps of `state.db`, oldest first. */
export const migrations: readonly Migration[] = []
