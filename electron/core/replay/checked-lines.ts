import { AppError } from '../../contract/errors.ts'
import { hashOfLine, prevOf } from '../../jobs/work/recording-format.ts'
import { LineTooLong, linesOf } from '../../jobs/work/recording-lines.ts'

/**
 * The lines of a file that was found whole, from its first to the last before the closing one, each when the next has named its hash.
 * `chain` is the hash of the last: where it is the same, every line is the one that was checked. `afterPiece` as with `linesOf`. Throws
 * RECORDING_NOT_AS_CHECKED.
 */
export async function* checkedLines(
  file: string,
  chain: string,
  afterPiece: (doneBytes: number, totalBytes: number) => Promise<void>,
): AsyncGenerator<{ line: Buffer; number: number }, void> {
  let number = 0
  let before: Buffer | null = null
  let hash = ''
  try {
    for await (const { line } of linesOf(file, afterPiece)) {
      if (before !== null) {
        if (prevOf(line) !== hash) throw new AppError('RECORDING_NOT_AS_CHECKED')
        yield { line: before, number }
        if (hash === chain) return
      }
      number++
      before = line
      hash = hashOfLine(line)
    }
  } catch (error) {
    throw error instanceof LineTooLong ? new AppError('RECORDING_NOT_AS_CHECKED') : error
  }
  throw new AppError('RECORDING_NOT_AS_CHECKED')
}
