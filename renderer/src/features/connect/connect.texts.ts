import { loadCatalogue } from '../../shared/i18n/catalogue.ts'
import type en from './connect.en.json'

export const t = await loadCatalogue<typeof en>('connect', import.meta.glob('./connect.*.json'))
