import { loadCatalogue } from '../../shared/i18n/catalogue.ts'
import type en from './error-codes.en.json'

export const t = await loadCatalogue<typeof en>('error-codes', import.meta.glob('./error-codes.*.json'))
