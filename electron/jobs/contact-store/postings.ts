import { trigramCount, writeTrigrams } from './trigrams.ts'

/** Contacts per trigram, ascending. `ids` are packed and valid until the next one. */
export type Postings = Iterable<{ trigram: number; ids: Buffer }>

/** Most bytes per id. */
const idBytes = 5

/** Ids as differences, seven bits per byte, lowest first; the eighth bit means more follow. */
function pack(ids: Uint32Array | Int32Array, into: Buffer): number {
  let at = 0
  let last = -1
  for (const id of ids) {
    if (id === last) continue
    let rest = id - Math.max(0, last)
    last = id
    while (rest > 127) {
      into[at++] = (rest & 127) | 128
      rest >>>= 7
    }
    into[at++] = rest
  }
  return at
}

/** Unpacks into `into`, which needs room for one id per byte. Returns how many. */
export function unpackIds(packed: Uint8Array, into: Int32Array): number {
  let count = 0
  let id = 0
  for (let at = 0; at < packed.length;) {
    let byte = packed[at++]!
    let step = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = packed[at++]!
      step |= (byte & 127) << shift
    }
    into[count++] = id += step
  }
  return count
}

/** Keeps those of the first `length` ids that are also packed. Returns how many. */
export function keepPacked(ids: Int32Array, length: number, packed: Uint8Array): number {
  let kept = 0
  let id = 0
  let from = 0
  for (let at = 0; at < packed.length && from < length;) {
    let byte = packed[at++]!
    let step = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = packed[at++]!
      step |= (byte & 127) << shift
    }
    id += step
    while (from < length && ids[from]! < id) from++
    if (from < length && ids[from] === id) ids[kept++] = ids[from++]!
  }
  return kept
}

function grown(array: Uint32Array, size: number): Uint32Array<ArrayBuffer> {
  const copy = new Uint32Array(size)
  copy.set(array)
  return copy
}

export type PostingsBuilder = ReturnType<typeof createPostingsBuilder>

/** Collects contacts and their texts. Allocates 8 MiB, one count per possible trigram: create it once. */
export function createPostingsBuilder() {
  /** Count per trigram; later the index of its next id. */
  const counts = new Uint32Array(trigramCount)
  let seen = new Uint32Array(1 << 12)
  let seenCount = 0
  /** Trigrams in order of contacts. */
  let trigrams = new Uint32Array(1 << 16)
  let length = 0
  let ids: number[] = []
  /** End of each contact's trigrams. */
  let ends: number[] = []

  function clear(): void {
    for (let at = 0; at < seenCount; at++) counts[seen[at]!] = 0
    seenCount = length = 0
    ids = []
    ends = []
  }

  /** Ids by trigram, in the order of `seen`: a counting sort. */
  function sorted(): Uint32Array {
    const all = new Uint32Array(length)
    let start = 0
    for (let at = 0; at < seenCount; at++) {
      const trigram = seen[at]!
      const count = counts[trigram]!
      counts[trigram] = start
      start += count
    }
    let from = 0
    for (let at = 0; at < ids.length; at++) {
      const id = ids[at]!
      for (const end = ends[at]!; from < end; from++) all[counts[trigrams[from]!]!++] = id
    }
    return all
  }

  return {
    /** Since the last `take`. */
    get contacts() {
      return ids.length
    },
    /** Discards what was collected. */
    clear,
    /** Ids must rise; others are refused, because their lists could not be packed. */
    add(id: number, text: string) {
      const last = ids.at(-1) ?? 0
      if (id <= last) throw new Error(`Contact ${id} reached the index after contact ${last}`)
      if (trigrams.length < length + text.length) trigrams = grown(trigrams, 2 * (length + text.length))
      const end = writeTrigrams(text, trigrams, length)
      if (seen.length < seenCount + text.length) seen = grown(seen, 2 * (seenCount + text.length))
      for (; length < end; length++)
        if (counts[trigrams[length]!]!++ === 0) seen[seenCount++] = trigrams[length]!
      ids.push(id)
      ends.push(length)
    },
    /** Returns and clears what was collected; iterate once. */
    *take(): Postings {
      seen.subarray(0, seenCount).sort()
      const all = sorted()
      let packed = Buffer.alloc(1 << 12)
      let from = 0
      for (let at = 0; at < seenCount; at++) {
        const trigram = seen[at]!
        // After sorting, a trigram's next index is the start of the following one.
        const of = all.subarray(from, counts[trigram])
        from += of.length
        if (packed.length < of.length * idBytes) packed = Buffer.alloc(2 * of.length * idBytes)
        yield { trigram, ids: packed.subarray(0, pack(of, packed)) }
      }
      clear()
    },
  }
}

/** Merges packed lists. */
export function joinPacked(lists: readonly Uint8Array[]): Buffer {
  const room = new Int32Array(lists.reduce((sum, { length }) => sum + length, 0))
  let count = 0
  let isRising = true
  for (const list of lists) {
    const before = count
    count += unpackIds(list, room.subarray(count))
    if (before > 0) isRising &&= room[before]! > room[before - 1]!
  }
  const ids = room.subarray(0, count)
  // Lists of imports are already in order.
  if (!isRising) ids.sort()
  const packed = Buffer.allocUnsafe(count * idBytes)
  return packed.subarray(0, pack(ids, packed))
}
