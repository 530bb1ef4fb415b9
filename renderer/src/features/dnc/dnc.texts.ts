import { loadCatalogue } from '../../shared/i18n/catalogue.ts'
import type en from './dnc.en.json'

export const t = await loadCatalogue<typeof en>('dnc', import.meta.glob('./dnc.*.json'))
