/** Strings, and numbers, of valid JSON. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g

const isInexact = (token: string) => /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token))

/** JSON whose integers beyond 2^53 become texts: as numbers, two ids would be one. */
export function parseExactJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (!/\d{16}/.test(text)) return value
  const exact = text.replace(tokens, (token) => (isInexact(token) ? `"${token}"` : token))
  return exact === text ? value : JSON.parse(exact)
}
