import { startCatalogue } from '../shared/i18n/catalogue.ts'
import type en from './shell.en.json'

export const t = startCatalogue<typeof en>('shell')
