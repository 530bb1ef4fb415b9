import { loadCatalogue } from '../../shared/i18n/catalogue.ts'
import type en from './webhooks.en.json'

export const t = await loadCatalogue<typeof en>('webhooks', import.meta.glob('./webhooks.*.json'))
