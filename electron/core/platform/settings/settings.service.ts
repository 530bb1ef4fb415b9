import * as z from 'zod'
import { type Appearance, appearanceSchema } from '../../../contract/platform/settings.ts'
import type { Language } from '../../../contract/texts.ts'
import { settingKey } from './connection-settings.ts'
import type { SettingsRepository } from './settings.repository.ts'

const defaultAppearance: Appearance = { theme: 'system', density: 'compact', language: 'system' }

export type SettingsService = ReturnType<typeof createSettingsService>

/** Appearance, and the last page of each connection. */
export function createSettingsService(
  repository: Pick<SettingsRepository, 'get' | 'put'>,
  systemLanguage: Language = 'en',
) {
  const placeKey = (connectionId: string) => settingKey(connectionId, 'place')
  const appearance = (): Appearance => repository.get('appearance', appearanceSchema) ?? defaultAppearance
  return {
    appearance,
    /** The language of texts outside the window. */
    language(): Language {
      const { language } = appearance()
      return language === 'system' ? systemLanguage : language
    },
    setAppearance(value: Appearance): Appearance {
      repository.put('appearance', value)
      return value
    },
    place: (connectionId: string): string | null =>
      repository.get(placeKey(connectionId), z.string()) ?? null,
    setPlace: (connectionId: string, path: string): void => repository.put(placeKey(connectionId), path),
  }
}
