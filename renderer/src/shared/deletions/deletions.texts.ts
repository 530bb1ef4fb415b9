import { startCatalogue } from '../i18n/catalogue.ts'
import type en from './deletions.en.json'

export const t = startCatalogue<typeof en>('deletions')
