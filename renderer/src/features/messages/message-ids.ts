import { messageIdMax, messageIdsMax } from '#contract/views/messages.ts'

/** Ids as they were typed or pasted. */
export interface TypedIds {
  /** Each once, in the order they stand. */
  ids: string[]
  /** How many more stood there that were among them already. */
  repeated: number
  /** Why they cannot be looked up; null when they can. */
  problem: string | null
}

/** The ids of a text, parted by blanks, commas, semicolons or lines, with quotes around them taken off. */
export function readIds(typed: string): TypedIds {
  const all = typed
    .split(/[\s,;]+/)
    .map((part) => part.replace(/^["'`<]+|["'`>]+$/g, ''))
    .filter((part) => part !== '')
  const ids = [...new Set(all)]
  const long = ids.find((id) => id.length > messageIdMax)
  const problem =
    ids.length > messageIdsMax
      ? `${ids.length} ids; at most ${messageIdsMax} are looked up at once`
      : long !== undefined
        ? `An id has ${long.length} characters; at most ${messageIdMax} are read`
        : null
  return { ids, repeated: all.length - ids.length, problem }
}
