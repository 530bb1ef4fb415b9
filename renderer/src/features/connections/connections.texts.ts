import { loadCatalogue } from '../../shared/i18n/catalogue.ts'
import type en from './connections.en.json'

export const t = await loadCatalogue<typeof en>('connections', import.meta.glob('./connections.*.json'))
