import { AppError } from '../../../contract/errors.ts'

/** A time of an input in milliseconds since 1970. Throws `INVALID_INPUT` with its `name`. */
export function readTime(name: string, text: string): number {
  const timeMs = Date.parse(text)
  if (Number.isNaN(timeMs)) throw new AppError('INVALID_INPUT', { detail: { key: 'input.notTime', name } })
  return timeMs
}
