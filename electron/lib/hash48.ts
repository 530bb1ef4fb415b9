import { hash } from 'node:crypto'

/** The first 48 bits of a text's SHA-256; fits a JavaScript integer. Matches must be confirmed against the text. */
export const hash48 = (text: string): number => Number.parseInt(hash('sha256', text).slice(0, 12), 16)
