import { loadCatalogue } from '../../shared/i18n/catalogue.ts'
import type en from './contacts.en.json'

export const t = await loadCatalogue<typeof en>('contacts', import.meta.glob('./contacts.*.json'))
