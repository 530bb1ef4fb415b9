import { loadCatalogue } from '../i18n/catalogue.ts'
import type en from './campaigns.en.json'

/** Texts of the campaign parts that several pages show. */
export const t = await loadCatalogue<typeof en>('shared-campaigns', import.meta.glob('./campaigns.*.json'))
