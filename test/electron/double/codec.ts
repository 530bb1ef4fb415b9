/** Text for a value of the structured clone, and back. */
export interface Codec {
  /** Throws a DataCloneError as structured clone does, and an Error for a type that the double can’t carry. */
  encode(value: unknown): string
  decode(text: string): unknown
}

/**
 * Carries values between page and Node over a text channel. The sender’s real `structuredClone` decides what can be cloned; this only
 * writes the result down. The function is sent into the page as source, so it uses nothing from outside.
 */
export function createCodec(): Codec {
  type Ref = unknown
  const bufferViews = {
    DataView,
    Uint8Array,
    Int8Array,
    Uint8ClampedArray,
    Uint16Array,
    Int16Array,
    Uint32Array,
    Int32Array,
    Float32Array,
    Float64Array,
    BigInt64Array,
    BigUint64Array,
  }
  const typeOf = (value: object) => Object.prototype.toString.call(value).slice(8, -1)

  function toBase64(bytes: Uint8Array): string {
    let text = ''
    for (let at = 0; at < bytes.length; at += 8_192)
      text += String.fromCharCode(...bytes.subarray(at, at + 8_192))
    return btoa(text)
  }

  function encode(value: unknown): string {
    const nodes: unknown[] = []
    const seen = new Map<object, number>()

    function ref(each: unknown): Ref {
      if (each === undefined) return { u: 0 }
      if (typeof each === 'bigint') return { i: String(each) }
      if (typeof each === 'number' && (!Number.isFinite(each) || Object.is(each, -0)))
        return { n: Object.is(each, -0) ? '-0' : String(each) }
      if (each === null || typeof each !== 'object') return each
      const known = seen.get(each)
      if (known !== undefined) return [known]
      const id = nodes.push(null) - 1
      seen.set(each, id)
      nodes[id] = node(each)
      return [id]
    }

    function node(each: object): unknown {
      const type = typeOf(each)
      const own = () => Object.keys(each).map((key) => [key, ref((each as Record<string, unknown>)[key])])
      if (type === 'Array') return { t: 'Array', length: (each as unknown[]).length, own: own() }
      if (type === 'Date') return { t: type, at: ref((each as Date).getTime()) }
      if (type === 'RegExp')
        return { t: type, source: (each as RegExp).source, flags: (each as RegExp).flags }
      if (type === 'Map')
        return {
          t: type,
          entries: [...(each as Map<unknown, unknown>)].map(([key, item]) => [ref(key), ref(item)]),
        }
      if (type === 'Set') return { t: type, items: [...(each as Set<unknown>)].map(ref) }
      if (type === 'ArrayBuffer') return { t: type, base64: toBase64(new Uint8Array(each as ArrayBuffer)) }
      if (type === 'Error') {
        const { name, message, stack } = each as Error
        return { t: type, name, message, stack: stack ?? '' }
      }
      if (type === 'Number' || type === 'String' || type === 'Boolean' || type === 'BigInt')
        return { t: 'Boxed', value: ref(each.valueOf()) }
      if (ArrayBuffer.isView(each)) {
        const { buffer, byteOffset, byteLength } = each
        return {
          t: 'View',
          type,
          buffer: ref(buffer),
          byteOffset,
          length: 'length' in each ? each.length : byteLength,
        }
      }
      if (type === 'Object') return { t: type, own: own() }
      throw new Error(`The Electron double cannot carry a ${type}`)
    }

    const root = ref(structuredClone(value))
    return JSON.stringify({ root, nodes })
  }

  function decode(text: string): unknown {
    const { root, nodes } = JSON.parse(text) as { root: Ref; nodes: Record<string, unknown>[] }
    const made: unknown[] = []

    function value(each: Ref): unknown {
      if (each === null || typeof each !== 'object') return each
      if (Array.isArray(each)) return build(each[0] as number)
      if ('u' in each) return undefined
      if ('i' in each) return BigInt(each.i as string)
      return Number((each as { n: string }).n)
    }

    function build(id: number): unknown {
      if (id in made) return made[id]
      const each = nodes[id]!
      const fill = (target: object) => {
        made[id] = target
        for (const [key, item] of each['own'] as [string, Ref][]) {
          Object.defineProperty(target, key, {
            value: value(item),
            writable: true,
            enumerable: true,
            configurable: true,
          })
        }
        return target
      }
      switch (each['t']) {
        case 'Array':
          return fill(new Array(each['length'] as number))
        case 'Object':
          return fill({})
        case 'Date':
          return (made[id] = new Date(value(each['at']) as number))
        case 'RegExp':
          return (made[id] = new RegExp(each['source'] as string, each['flags'] as string))
        case 'Map': {
          const map = new Map<unknown, unknown>()
          made[id] = map
          for (const [key, item] of each['entries'] as [Ref, Ref][]) map.set(value(key), value(item))
          return map
        }
        case 'Set': {
          const set = new Set<unknown>()
          made[id] = set
          for (const item of each['items'] as Ref[]) set.add(value(item))
          return set
        }
        case 'ArrayBuffer':
          return (made[id] = Uint8Array.from(atob(each['base64'] as string), (character) =>
            character.charCodeAt(0),
          ).buffer)
        case 'Boxed':
          return (made[id] = Object(value(each['value'])))
        case 'View': {
          const View = bufferViews[each['type'] as keyof typeof bufferViews] as unknown as new (
            buffer: unknown,
            offset: number,
            length: number,
          ) => object
          return (made[id] = new View(
            value(each['buffer']),
            each['byteOffset'] as number,
            each['length'] as number,
          ))
        }
        default: {
          const error = new Error(each['message'] as string)
          error.name = each['name'] as string
          error.stack = each['stack'] as string
          return (made[id] = error)
        }
      }
    }
    return value(root)
  }

  return { encode, decode }
}
