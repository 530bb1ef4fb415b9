import * as z from 'zod'
import { waitingRequestsSchema } from '../../../contract/connection/connections.ts'
import { settingKey } from '../../platform/settings/connection-settings.ts'
import type { SettingsRepository } from '../../platform/settings/settings.repository.ts'

const restoredSchema = z.object({
  /** Of the backup. */
  createdAt: z.string(),
  waiting: waitingRequestsSchema,
  /** Nothing arrives or leaves before a person has signed in on this computer. */
  signedIn: z.boolean(),
})
type Restored = z.infer<typeof restoredSchema>

export type RestoredState = ReturnType<typeof createRestoredState>

/** What is remembered of a restored connection, until someone signed in and resumed its outbox. */
export function createRestoredState(settings: SettingsRepository) {
  const key = (connectionId: string) => settingKey(connectionId, 'restored')
  const of = (connectionId: string): Restored | null =>
    settings.get(key(connectionId), restoredSchema) ?? null
  return {
    of,
    isSignedIn: (connectionId: string): boolean => of(connectionId)?.signedIn !== false,
    begin: (connectionId: string, state: Omit<Restored, 'signedIn'>): void =>
      settings.put(key(connectionId), { ...state, signedIn: false }),
    signedIn(connectionId: string): void {
      const state = of(connectionId)
      if (state) settings.put(key(connectionId), { ...state, signedIn: true })
    },
    end: (connectionId: string): void => settings.remove(key(connectionId)),
  }
}
