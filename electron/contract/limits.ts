/** Bytes of a file per call. A multiple of three, so only the last piece has base64 padding. */
export const pieceBytes = 768 * 1024
/** The same as base64 characters: four for three bytes. */
export const pieceLength = Math.ceil(pieceBytes / 3) * 4
/** Most characters to paste; use a file for more. */
export const pastedLength = 1_000_000
/** JSON needs up to six bytes per character (`\u0000`). */
const bytesPerCharacter = 6
/** Room for the rest of the call, bytes. */
const envelopeBytes = 65_536
/** Longest call, bytes of JSON: a piece of a file or a pasted list. A transport with a lower limit would disconnect. */
export const longestCallBytes = Math.max(pieceLength, pastedLength * bytesPerCharacter) + envelopeBytes
