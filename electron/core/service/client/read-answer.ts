import {
  badAnswer,
  type CallName,
  type Failure,
  networkFailure,
  notTheService,
  tooLarge,
} from './http-errors.ts'

/** Largest answer that is read, counted after decompression. A page of 100 records is under 200 KiB. */
export const maxAnswerMiB = 8
const maxAnswerBytes = maxAnswerMiB * 1024 * 1024

/** A body as far as it could be read: JSON, or what stood in its place. */
export type Body =
  | { kind: 'json'; value: unknown }
  | { kind: 'empty' }
  | { kind: 'page' }
  | { kind: 'text'; text: string; fault: string }

/** Strict: a replacement character in a name or number would be a silent change. Drops a byte order mark. */
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The whole body as bytes. Stops at the cap, however small the compressed answer was. */
async function readBytes(response: Response): Promise<Uint8Array | 'too large'> {
  if (Number(response.headers.get('content-length')) > maxAnswerBytes) {
    await response.body?.cancel().catch(() => {})
    return 'too large'
  }
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  const reader = response.body?.getReader()
  for (;;) {
    const step = await reader?.read()
    if (!step || step.done) break
    sizeBytes += step.value.byteLength
    if (sizeBytes > maxAnswerBytes) {
      await reader?.cancel().catch(() => {})
      return 'too large'
    }
    chunks.push(step.value)
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
}

function bodyOf(bytes: Uint8Array, contentType: string): Body {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    return { kind: 'text', text: '', fault: 'it is not UTF-8' }
  }
  if (text.trim() === '') return { kind: 'empty' }
  try {
    return { kind: 'json', value: JSON.parse(text) }
  } catch {
    if (/html|xml/i.test(contentType) || /^\s*</.test(text)) return { kind: 'page' }
    return { kind: 'text', text, fault: 'it is not valid JSON, or was cut off' }
  }
}

/**
 * Reads the answer's body, whatever its status. The declared content type is not trusted: JSON labelled as text is taken.
 * Failures: ANSWER_TOO_LARGE, SERVICE_UNREACHABLE when the connection breaks (told without `secrets`), BAD_ANSWER for broken compression.
 */
export async function readBody(
  name: CallName,
  response: Response,
  secrets: readonly string[],
): Promise<{ body: Body } | { failure: Failure }> {
  try {
    const bytes = await readBytes(response)
    if (bytes === 'too large') return { failure: tooLarge(name, response.status, maxAnswerMiB) }
    return { body: bodyOf(bytes, response.headers.get('content-type') ?? '') }
  } catch (thrown) {
    return { failure: networkFailure(name, thrown, secrets) }
  }
}

/**
 * The value of a 2xx body. `needed` is false for calls whose answer tells nothing beyond its status: nothing and plain text
 * become null there. A page is never an answer of the service.
 */
export function valueOf(
  name: CallName,
  status: number,
  body: Body,
  needed: boolean,
): { value: unknown } | { failure: Failure } {
  if (body.kind === 'json') return { value: body.value }
  if (body.kind === 'page') return { failure: notTheService(name, status, 'an HTML page') }
  if (!needed) return { value: null }
  const detail = body.kind === 'empty' ? 'it is empty' : body.fault
  return { failure: badAnswer(name, status, detail) }
}
