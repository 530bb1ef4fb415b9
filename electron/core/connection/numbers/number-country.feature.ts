import * as z from 'zod'
import type { InboxService } from '../../live/inbox/inbox.service.ts'
import { settingKey } from '../../platform/settings/connection-settings.ts'
import type { DncService } from '../../people/dnc/dnc.service.ts'
import type { PlatformParts } from '../../platform/parts.ts'

/**
 * Reads stored numbers in national form again after the connection's country changed: DNC entries, senders on hold, and the inbox. A run
 * that an exit interrupts starts over.
 */
export function createNumberCountryFeature(
  parts: PlatformParts & {
    dnc: Pick<DncService, 'readAgain' | 'changed'>
    inbox: Pick<InboxService, 'readAgain'>
  },
) {
  const { settings, dnc, inbox, log } = parts
  const key = settingKey(parts.connection().id, 'numbers-read-with')
  let current: AbortController | null = null
  let running: Promise<void> = Promise.resolve()

  async function readAgain(signal: AbortSignal): Promise<void> {
    const { country } = parts.connection()
    inbox.readAgain()
    await dnc.readAgain(signal)
    if (!signal.aborted) settings.put(key, country)
  }

  function changed(): void {
    dnc.changed()
    const readWith = settings.get(key, z.string().nullable()) ?? null
    if (!current && readWith === parts.connection().country) return
    current?.abort()
    const controller = (current = new AbortController())
    running = running
      .then(() => readAgain(controller.signal))
      .catch((error: unknown) => log.warn('Could not read numbers again; the next start does', { error }))
      .finally(() => {
        if (current === controller) current = null
      })
  }

  return {
    service: {
      /** The connection's country may have changed. */
      changed,
      /** Resolves when every stored number was read with the country. */
      settled: () => running,
    },
    start: changed,
    async stop(): Promise<void> {
      current?.abort()
      await running
    },
  }
}
