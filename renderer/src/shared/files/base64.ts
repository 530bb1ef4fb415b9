/** Maximum bytes per `String.fromCharCode`: engines limit the number of arguments. */
const chunkBytes = 0x8000

/** Bytes as base64, natively where possible (Chromium 140). Spreading the bytes instead of `apply` took five times as long. */
export function toBase64(bytes: Uint8Array & { toBase64?(): string }): string {
  if (bytes.toBase64) return bytes.toBase64()
  let binary = ''
  for (let at = 0; at < bytes.length; at += chunkBytes)
    binary += String.fromCharCode.apply(null, bytes.subarray(at, at + chunkBytes) as unknown as number[])
  return btoa(binary)
}

/** The bytes of a base64 text. Throws like `atob` when it is invalid. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text)
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at)
  return bytes
}
