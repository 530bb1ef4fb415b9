/** The spec's header of a signed delivery. */
export const signatureHeader = 'x-webhook-signature'

/** Values that are, or could be replayed as, a credential. */
const credential = /signature|authorization|cookie|secret|token|password|api-?key/i

/** Headers that speak of the connection and not of the delivery. */
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

/** Header pairs worth keeping with a delivery: names in lower case, no credentials, nothing of the connection. */
export function keptHeaders(rawHeaders: readonly string[]): [name: string, value: string][] {
  const kept: [string, string][] = []
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase()
    if (!ofConnection.has(name) && !credential.test(name)) kept.push([name, rawHeaders[index + 1]!])
  }
  return kept
}

/** Most senders repeat their headers exactly: the same text then needs no new JSON. */
const cacheSize = 64

/** `keptHeaders` as JSON, with the last few answers remembered. */
export function createHeaderWriter(): (rawHeaders: readonly string[]) => string {
  const known = new Map<string, string>()
  const keptNames = new Map<string, boolean>()
  const keeps = (raw: string): boolean => {
    let kept = keptNames.get(raw)
    if (kept === undefined) {
      const name = raw.toLowerCase()
      kept = !ofConnection.has(name) && !credential.test(name)
      // Names come from the sender: what is remembered of them must end.
      if (keptNames.size < cacheSize) keptNames.set(raw, kept)
    }
    return kept
  }
  return (rawHeaders) => {
    let key = ''
    for (let index = 0; index + 1 < rawHeaders.length; index += 2)
      if (keeps(rawHeaders[index]!)) key += `${rawHeaders[index]}\0${rawHeaders[index + 1]}\0`
    let json = known.get(key)
    if (json === undefined) {
      json = JSON.stringify(keptHeaders(rawHeaders))
      if (known.size >= cacheSize) known.clear()
      known.set(key, json)
    }
    return json
  }
}

/** What the listener goes by. */
export interface HeaderFacts {
  /** Sent by a web page. */
  isOfBrowser: boolean
  contentLength: string | undefined
  isChunked: boolean
  /** Two of them are joined by a comma. */
  signature: string | undefined
}

/** Read from the raw headers: an object of all of them, as Node makes it on demand, is a cost for each delivery. */
export function headerFacts(rawHeaders: readonly string[]): HeaderFacts {
  const facts: HeaderFacts = {
    isOfBrowser: false,
    contentLength: undefined,
    isChunked: false,
    signature: undefined,
  }
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const { length } = rawHeaders[index]!
    if (length !== 6 && length !== 14 && length !== 17 && length !== 19) continue
    switch (rawHeaders[index]!.toLowerCase()) {
      case 'origin':
      case 'sec-fetch-site':
        facts.isOfBrowser = true
        break
      case 'content-length':
        facts.contentLength = rawHeaders[index + 1]
        break
      case 'transfer-encoding':
        facts.isChunked = true
        break
      case signatureHeader: {
        const value = rawHeaders[index + 1]
        facts.signature = facts.signature === undefined ? value : `${facts.signature}, ${value}`
      }
    }
  }
  return facts
}
