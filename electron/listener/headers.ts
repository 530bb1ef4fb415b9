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

/** Most senders repeat their headers exactly, so their JSON is cached. */
const cacheSize = 64

/** `keptHeaders` as JSON, cached. */
export function createHeaderWriter(): (rawHeaders: readonly string[]) => string {
  const known = new Map<string, string>()
  const keptNames = new Map<string, boolean>()
  const keeps = (raw: string): boolean => {
    let kept = keptNames.get(raw)
    if (kept === undefined) {
      kept = isKept(raw)
      // Senders choose the names, so the cache is bounded.
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

export interface HeaderFacts {
  /** Sent by a web page. */
  isOfBrowser: boolean
  contentLength: string | undefined
  isChunked: boolean
  /** Repeated headers are joined by a comma. */
  signature: string | undefined
}

/** Reads the raw headers: Node's header object costs time on every delivery. */
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
