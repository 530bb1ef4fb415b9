/** Bytes of a file that one call carries, either way. A multiple of three, so that only a file's last piece is padded in base64. */
export const pieceBytes = 768 * 1024
/** A whole piece as base64, characters: four for three bytes. */
export const pieceLength = Math.ceil(pieceBytes / 3) * 4
/** Longest list that is pasted, characters; more belongs into a file. */
export const pastedLength = 1_000_000
/** JSON writes a character of a string in at most six bytes (`\u0000`), and base64's in one. */
const bytesPerCharacter = 6
/** Room for the rest of such a call: its address, names and the form around it, bytes. */
const envelopeBytes = 65_536
/**
 * Longest call that the contract lets through, as bytes of JSON: its two long texts are a file's piece and a pasted list. A
 * transport that takes less would end the page's way to the core instead of refusing a call.
 */
export const longestCallBytes = Math.max(pieceLength, pastedLength * bytesPerCharacter) + envelopeBytes
/** Days of the service's figures that are read one by one at most, each a request of the tenant's budget. */
export const dayReadingMax = 31
/** Calls that one page may run at once. The busiest page has about ten. */
export const callsPerPage = 64
/** Streams that one page may have open. There are a dozen kinds, and a page may reopen one before the old one ends. */
export const streamsPerPage = 32
/** Levels of arrays and objects in a frame. The contract's deepest input has eight, with its envelope. */
export const frameDepthMax = 32
/** Frames of one page that may wait, and their total characters. Beyond this the page is disconnected. */
export const framesWaitingMax = 4_000
export const waitingLengthMax = 64 * 1_048_576
