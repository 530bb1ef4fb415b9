import { frameDepthMax, longestCallBytes } from '../../../contract/limits.ts'

const [quote, backslash, openBracket, closeBracket, openBrace, closeBrace] = [34, 92, 91, 93, 123, 125]

/** Why a page's frame must not be parsed, or null. Linear in its length; stops at the first level too deep. */
export function frameProblem(frame: unknown): string | null {
  // Our pages send only text. Bytes would carry files and forms, which no call accepts.
  if (typeof frame !== 'string') return 'the frame is not text'
  if (frame.length > longestCallBytes) return 'the frame is too long'
  return isTooDeep(frame) ? 'the frame is nested too deeply' : null
}

function isTooDeep(text: string): boolean {
  let depth = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === quote) {
      index = endOfString(text, index)
      if (index === -1) return false
    } else if (code === openBracket || code === openBrace) {
      if (++depth > frameDepthMax) return true
    } else if (code === closeBracket || code === closeBrace) depth--
  }
  return false
}

/** Index of the quote that closes the string at `start`; -1 without one, which no parser accepts. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes++
    if (slashes % 2 === 0) return end
  }
  return -1
}
