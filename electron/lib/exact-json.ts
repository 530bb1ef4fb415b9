/** Strings, and numbers, of JSON. One without an end goes to that of the text: it must not be looked for at each of its quotes. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"?|-?\d[\d.eE+-]*/g

const isInexact = (token: string) => /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token))

// eslint-disable-next-line no-control-regex -- this finds control characters
const control = /[\0-\x1f]/g
const escapedControl = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Valid JSON, or such with control characters in its strings, as programs that write it by hand leave them. */
function parse(text: string): { text: string; value: unknown } {
  try {
    return { text, value: JSON.parse(text) }
  } catch (error) {
    if (!(error instanceof SyntaxError) || text.search(control) === -1) throw error
    const escaped = text.replace(tokens, (token) => token.replace(control, escapedControl))
    return { text: escaped, value: JSON.parse(escaped) }
  }
}

/** JSON whose integers beyond 2^53 become texts: as numbers, two ids would be one. */
export function parseExactJson(given: string): unknown {
  const { text, value } = parse(given)
  if (!/\d{16}/.test(text)) return value
  const exact = text.replace(tokens, (token) => (isInexact(token) ? `"${token}"` : token))
  return exact === text ? value : JSON.parse(exact)
}
