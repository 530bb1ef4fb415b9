/** The spec's header of a signed delivery. */
export const signatureHeader = 'x-webhook-signature'

/** Credentials, or values that could be replayed as one. */
const credential = /signature|authorization|cookie|secret|token|password|api-?key/i

/** Headers about the connection, not the delivery. */
const ofConnection = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'keep-alive',
  'accept',
  'accept-encoding',
  'expect',
])

function isKept(rawName: string): boolean {
  const name = rawName.toLowerCase()
  return !ofConnection.has(name) && !credential.test(name)
}

/** Headers kept with a delivery: lower-case names, no credentials or connection headers. */
export function keptHeaders(rawHeaders: readonly string[]): [name: string, value: string][] {
  const kept: [string, string][] = []
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!
    if (isKept(name)) kept.push([name.toLowerCase(), rawHeaders[index + 1]!])
  }
  return kept
}
