import { startCatalogue } from '../../shared/i18n/catalogue.ts'
import type en from './index.en.json'

/** Every section, in the order of the page. `needs` is what the host must be able to do. */
export const allSections = [
  { id: 'connections', group: 'computer' },
  { id: 'notifications', group: 'computer' },
  { id: 'appearance', group: 'computer' },
  { id: 'desktop', group: 'computer', needs: 'window.tray' },
  { id: 'browsers', group: 'computer', needs: 'sessions' },
  { id: 'about', group: 'computer' },
  { id: 'listener', group: 'connection' },
  { id: 'team', group: 'connection' },
  { id: 'numbers', group: 'connection' },
  { id: 'events', group: 'connection' },
  { id: 'field-names', group: 'connection' },
] as const

export type SectionId = (typeof allSections)[number]['id']

const t = startCatalogue<typeof en>('settings-page')

/** Names of what a section holds, for searches: `Port, Public address`. */
export const sectionWords = (id: SectionId | 'keywords' | 'hours') => t(`words.${id}`)
