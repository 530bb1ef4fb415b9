import { loadCatalogue } from './catalogue.ts'
import type en from './shared.en.json'

/** Texts of parts that several pages use. */
export const t = await loadCatalogue<typeof en>(
  'shared',
  import.meta.glob('./shared.*.json', { import: 'default' }),
)
