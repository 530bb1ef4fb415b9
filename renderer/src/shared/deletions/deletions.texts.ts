import { loadCatalogue } from '../i18n/catalogue.ts'
import type en from './deletions.en.json'

export const t = await loadCatalogue<typeof en>(
  'deletions',
  import.meta.glob('./deletions.*.json', { import: 'default' }),
)
