import { loadCatalogue } from '../../shared/i18n/catalogue.ts'
import type en from './inbox.en.json'

export const t = await loadCatalogue<typeof en>('inbox', import.meta.glob('./inbox.*.json'))
