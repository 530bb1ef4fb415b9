import { loadCatalogue } from '../../shared/i18n/catalogue.ts'
import type en from './index.en.json'

/** Texts that are shown on every page. */
export const t = await loadCatalogue<typeof en>(
  'events-page',
  import.meta.glob('./index.*.json', { import: 'default' }),
)
