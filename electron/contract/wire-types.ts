/**
 * Values that oRPC's JSON would change, for both ends. An object with the key `__proto__` (a tag may have it) would
 * lose it, so it travels as pairs. The number is ours; those below 20 belong to oRPC.
 */
export const wireTypes = [
  {
    type: 30,
    condition: (value: unknown): boolean =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__'),
    serialize: (value: object): unknown => Object.entries(value),
    deserialize(pairs: unknown): unknown {
      if (!Array.isArray(pairs) || !pairs.every(isPair)) throw new TypeError('expected key-value pairs')
      return Object.fromEntries(pairs)
    },
  },
]

/** Header of a call: the id of the connection that the page shows. A call without it goes to the connection in front. */
export const connectionHeader = 'connection'

const isPair = (pair: unknown): pair is [string, unknown] =>
  Array.isArray(pair) && pair.length === 2 && typeof pair[0] === 'string'
