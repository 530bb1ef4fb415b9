/** Encodes text with at most two bytes a character, by trying what the decoder makes of each. */
export function encode(text: string, label: string): Buffer {
  const bytesOf = new Map<string, number[]>()
  const decoder = new TextDecoder(label)
  const learn = (...bytes: number[]) => {
    const char = decoder.decode(Uint8Array.from(bytes))
    if ([...char].length === 1 && char !== '\ufffd' && !bytesOf.has(char)) bytesOf.set(char, bytes)
  }
  for (let first = 0; first < 256; first++) learn(first)
  for (let first = 0x81; first < 255; first++)
    for (let second = 0x40; second < 255; second++) learn(first, second)
  return Buffer.from(
    [...text].flatMap((char) => {
      const bytes = bytesOf.get(char)
      if (!bytes) throw new Error(`${label} has no ${char}`)
      return bytes
    }),
  )
}
