import { loadCatalogue } from '../../shared/i18n/catalogue.ts'
import type en from './settings.en.json'

export const t = await loadCatalogue<typeof en>('settings', import.meta.glob('./settings.*.json'))
