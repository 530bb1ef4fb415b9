import { createReadStream, existsSync } from 'node:fs'
import { createInterface } from 'node:readline'

/**
 * The rows of a file of rejected rows, each as the JSON of a `JudgedRow`; none where there is no file. A last one that an import is
 * still writing, or that a crash cut off, is left out.
 */
export async function* rejectedLines(file: string): AsyncGenerator<string, void> {
  if (!existsSync(file)) return
  let last: string | null = null
  for await (const line of createInterface({ input: createReadStream(file) })) {
    if (last !== null) yield last
    last = line
  }
  if (last !== null && isJson(last)) yield last
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
