import { loadCatalogue } from '../../shared/i18n/catalogue.ts'
import type en from './messages.en.json'

export const t = await loadCatalogue<typeof en>('messages', import.meta.glob('./messages.*.json'))
