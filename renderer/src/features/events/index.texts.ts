import { startCatalogue } from '../../shared/i18n/catalogue.ts'
import type en from './index.en.json'

/** Texts that are shown on every page. */
export const t = startCatalogue<typeof en>('events-page')
