import sax from 'sax'
import { unreadableFile } from './unreadable-file.ts'

export type Attributes = Readonly<Record<string, string>>

/** Deepest nesting of elements. A workbook has about ten levels. */
const depthMax = 1_000

export interface XmlHandler {
  /** `name` as written, with its prefix. */
  open?(name: string, attributes: Attributes): void
  close?(name: string): void
  /** Text may come in parts. */
  text?(text: string): void
  /** Read no further once true. */
  isDone?(): boolean
}

/** Hands the elements of an XML document to `handler`. `between` is awaited after each piece, with its bytes. IMPORT_FILE_UNREADABLE. */
export async function readXml(
  pieces: AsyncIterable<Buffer>,
  handler: XmlHandler,
  between: (bytes: number) => Promise<void> = async () => {},
): Promise<void> {
  const parser = sax.parser(true, { position: false })
  // Without its own count, which takes longer, the parser keeps texts of any length. Moved on below, it limits them.
  parser.position = 0
  let depth = 0
  parser.onopentag = ({ name, attributes }) => {
    if (++depth > depthMax) throw unreadableFile('damaged')
    handler.open?.(name, attributes as Attributes)
  }
  parser.onclosetag = (name) => {
    depth--
    handler.close?.(name)
  }
  parser.ontext = (text) => handler.text?.(text)
  parser.oncdata = (text) => handler.text?.(text)
  parser.onerror = () => {
    throw unreadableFile('damaged')
  }
  let decoder: InstanceType<typeof TextDecoder> | null = null
  for await (const piece of pieces) {
    decoder ??= new TextDecoder(encodingOf(piece))
    parser.position += piece.length
    parser.write(decoder.decode(piece, { stream: true }))
    if (handler.isDone?.()) return
    await between(piece.length)
  }
  if (decoder) parser.write(decoder.decode()).close()
}

/** XML in another encoding than UTF-8 begins with a byte order mark. */
function encodingOf(head: Buffer): string {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  return head[0] === 0xfe && head[1] === 0xff ? 'utf-16be' : 'utf-8'
}

/** A name without its prefix. */
export const localName = (name: string): string => name.slice(name.indexOf(':') + 1)

/** An attribute by its name without prefix. */
export function attributeOf(attributes: Attributes, local: string): string | undefined {
  if (local in attributes) return attributes[local]
  for (const name in attributes) if (localName(name) === local) return attributes[name]
  return undefined
}
