import { loadCatalogue } from '../../shared/i18n/catalogue.ts'
import type en from './events.en.json'

export const t = await loadCatalogue<typeof en>('events', import.meta.glob('./events.*.json'))
