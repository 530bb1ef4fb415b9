import { quoted } from '../../lib/contact-fields.ts'
import type { ImportChoices } from './protocol.ts'

/** Longest tag that is a word by itself: what is longer was written for something else. */
const bareTagMax = 200

/** Puts the tags of a cell into `tags`: a JSON object of texts, or `key=value` and words parted by semicolons. What is wrong with it, or null. */
function takeTags(cell: string, tags: Record<string, string>): string | null {
  const text = cell.trim()
  if (text.startsWith('{')) return takeJson(text, tags)
  let problem: string | null = null
  for (const piece of text.split(';').map((one) => one.trim())) {
    if (piece === '') continue
    const at = piece.indexOf('=')
    if (at > 0) tags[piece.slice(0, at).trim()] = piece.slice(at + 1).trim()
    else if (at === 0) problem ??= `The tag ${quoted(piece)} has no key.`
    // Whether the comma parts two tags or belongs to one cannot be known.
    else if (piece.includes(','))
      problem ??= `The tags ${quoted(piece)} have a comma between them, not a semicolon.`
    else if (piece.length > bareTagMax) problem ??= `The tag ${quoted(piece)} is longer than 200 characters.`
    else tags[piece] = ''
  }
  return problem
}

function takeJson(text: string, tags: Record<string, string>): string | null {
  let problem: string | null = null
  try {
    for (const [key, value] of Object.entries(JSON.parse(text) as Record<string, unknown>)) {
      if (typeof value === 'string') tags[key] = value
      else problem ??= `The tag ${quoted(key)} is no text: ${quoted(JSON.stringify(value))}.`
    }
    return problem
  } catch {
    return `The tags ${quoted(text)} are no JSON.`
  }
}

/** Distinct tags that are remembered while a file is read: most of its rows have one of few. */
const tagsKept = 20_000

/** Tags as JSON, without those that cannot be read; the first of these as a sentence. */
export interface ReadTags {
  json: string
  problem: string | null
}

/** Reads the tag cells of a row, given as `column NUL cell NUL` one behind the other. */
export function createTagReading({ columns, extraTags }: ImportChoices): (cells: string) => ReadTags {
  const known = new Map<string, ReadTags>()

  function read(cells: string): ReadTags {
    // Without a prototype, so that a tag "__proto__" is one like others.
    const tags = Object.create(null) as Record<string, string>
    let problem: string | null = null
    const parts = cells.split('\0')
    for (let at = 0; at + 1 < parts.length; at += 2) {
      const target = columns[Number(parts[at])]!
      const cell = parts[at + 1]!
      if (target.to === 'tag') tags[target.tagKey] = cell
      else problem = takeTags(cell, tags) ?? problem
    }
    return { json: JSON.stringify(Object.assign(tags, extraTags)), problem }
  }

  return (cells) => {
    let tags = known.get(cells)
    if (tags === undefined) {
      if (known.size >= tagsKept) known.clear()
      known.set(cells, (tags = read(cells)))
    }
    return tags
  }
}
