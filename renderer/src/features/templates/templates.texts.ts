import { loadCatalogue } from '../../shared/i18n/catalogue.ts'
import type en from './templates.en.json'

export const t = await loadCatalogue<typeof en>('templates', import.meta.glob('./templates.*.json'))
