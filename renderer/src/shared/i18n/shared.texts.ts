import { startCatalogue } from './catalogue.ts'
import type en from './shared.en.json'

/** Texts of parts that several pages use. */
export const t = startCatalogue<typeof en>('shared')
