import { loadCatalogue } from '../shared/i18n/catalogue.ts'
import type en from './shell.en.json'

export const t = await loadCatalogue<typeof en>(
  'shell',
  import.meta.glob('./shell.*.json', { import: 'default' }),
)
