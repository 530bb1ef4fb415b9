import { loadCatalogue } from '../../shared/i18n/catalogue.ts'
import type en from './scheduled.en.json'

export const t = await loadCatalogue<typeof en>('scheduled', import.meta.glob('./scheduled.*.json'))
