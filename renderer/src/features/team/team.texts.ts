import { loadCatalogue } from '../../shared/i18n/catalogue.ts'
import type en from './team.en.json'

export const t = await loadCatalogue<typeof en>('team', import.meta.glob('./team.*.json'))
