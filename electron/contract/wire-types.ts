/**
 * How values travel that oRPC's own reading of JSON would change; given to both ends of a connection. An object with a key `__proto__`,
 * as a tag may be called, would lose it: it goes as pairs. The number is this project's own; those below 20 are the library's.
 */
export const wireTypes = [
  {
    type: 30,
    condition: (value: unknown): boolean =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__'),
    serialize: (value: object): unknown => Object.entries(value),
    deserialize(pairs: unknown): unknown {
      if (!Array.isArray(pairs) || !pairs.every(isPair))
        throw new TypeError('pairs of a key and a value are needed')
      return Object.fromEntries(pairs)
    },
  },
]

const isPair = (pair: unknown): pair is [string, unknown] =>
  Array.isArray(pair) && pair.length === 2 && typeof pair[0] === 'string'
