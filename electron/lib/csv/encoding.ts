/** How the bytes of a text file are read. */
export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'latin1'

/** The encoding that the first bytes of a file show, and how many of them are its mark. */
export function sniffEncoding(head: Uint8Array): { encoding: TextEncoding; markBytes: number } {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return { encoding: 'utf-8', markBytes: 3 }
  if (head[0] === 0xff && head[1] === 0xfe) return { encoding: 'utf-16le', markBytes: 2 }
  if (head[0] === 0xfe && head[1] === 0xff) return { encoding: 'utf-16be', markBytes: 2 }
  // Text of mostly Latin letters in UTF-16 has a zero in every other byte.
  const sample = head.subarray(0, 2_000 & ~1)
  let even = 0
  let odd = 0
  for (let at = 0; at + 1 < sample.length; at += 2) {
    if (sample[at] === 0) even++
    if (sample[at + 1] === 0) odd++
  }
  const pairs = sample.length / 2
  if (pairs > 4 && odd > pairs * 0.4 && even < pairs * 0.1) return { encoding: 'utf-16le', markBytes: 0 }
  if (pairs > 4 && even > pairs * 0.4 && odd < pairs * 0.1) return { encoding: 'utf-16be', markBytes: 0 }
  return { encoding: isUtf8Start(head) ? 'utf-8' : 'latin1', markBytes: 0 }
}

/** True when the bytes are UTF-8, the last character perhaps cut. */
function isUtf8Start(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return true
  } catch {
    return false
  }
}

/** True for bytes that are no text in any of the encodings: a picture, an archive, a spreadsheet's own format. */
export function looksBinary(head: Uint8Array, encoding: TextEncoding): boolean {
  const known = ['504b0304', '25504446', '89504e47', 'd0cf11e0', '1f8b08', 'ffd8ff', '47494638']
  const start = Buffer.from(head.subarray(0, 4)).toString('hex')
  if (known.some((magic) => start.startsWith(magic))) return true
  if (encoding.startsWith('utf-16') || head.length === 0) return false
  let odd = 0
  for (const byte of head) if (byte < 9 || (byte > 13 && byte < 32 && byte !== 27)) odd++
  return odd > head.length * 0.1
}

/** A decoder of chunks. `latin1` is read as Windows-1252, as spreadsheets write it. */
export function createDecoder(encoding: TextEncoding): { decode(chunk: Uint8Array): string; end(): string } {
  const decoder = new TextDecoder(encoding === 'latin1' ? 'windows-1252' : encoding, { ignoreBOM: true })
  return { decode: (chunk) => decoder.decode(chunk, { stream: true }), end: () => decoder.decode() }
}
