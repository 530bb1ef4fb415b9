import { loadCatalogue } from '../../shared/i18n/catalogue.ts'
import type en from './overview.en.json'

export const t = await loadCatalogue<typeof en>('overview', import.meta.glob('./overview.*.json'))
