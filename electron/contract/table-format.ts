import * as z from 'zod'

/** A label of the WHATWG Encoding Standard that this computer can decode, such as `utf-8` or `windows-1251`. */
export const encodingSchema = z.string().max(40).refine(isEncoding)

function isEncoding(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== ''
  } catch {
    return false
  }
}

/** The row that names the columns, from 1; 0 without one. Rows above it are skipped. If blank, the next one counts. */
export const headerRowSchema = z.int().min(0).max(1_000)
