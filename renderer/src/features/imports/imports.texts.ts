import { loadCatalogue } from '../../shared/i18n/catalogue.ts'
import type en from './imports.en.json'

export const t = await loadCatalogue<typeof en>('imports', import.meta.glob('./imports.*.json'))
