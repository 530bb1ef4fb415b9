import { loadCatalogue } from '../../shared/i18n/catalogue.ts'
import type en from './campaigns.en.json'

export const t = await loadCatalogue<typeof en>('campaigns', import.meta.glob('./campaigns.*.json'))
