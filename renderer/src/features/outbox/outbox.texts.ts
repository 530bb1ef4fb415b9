import { loadCatalogue } from '../../shared/i18n/catalogue.ts'
import type en from './outbox.en.json'

export const t = await loadCatalogue<typeof en>('outbox', import.meta.glob('./outbox.*.json'))
