import { toQuote } from '../../lib/contact-fields.ts'
import type { ImportChoices, RowProblem } from '../../contract/people/imports.ts'
import type { Phrase } from '../../contract/phrases.ts'

/** Longest tag without a key; longer text was meant for something else. */
const bareTagMax = 200

/** As Mailchimp writes tags: `"VIP","New"`. */
const quotedList = /^"[^"]*"(\s*,\s*"[^"]*")*$/
/** Start of text in another notation. */
const otherNotation = /^["[{<]/
/** A comma before the first equals sign or before another one: `a, b`, `a=1, b=2`; not `name=Doe, Ann`. */
const commaBetween = /^[^=]*,|,[^=]*=/
/** Words for "nothing". */
const nothing = /^(null|n\/a)$/i

/** Separators besides the comma, which may be part of a tag. */
const betweenTags = /[;|\r\n]|\s:::\s/
/** Labels of Google Contacts that every contact has. */
const systemLabel = /^\* my\s?contacts$/i

/** Reports a cell's problem: to count, and as a phrase when tags are lost. */
type Tell = (problem: 'tags' | 'tag-commas', phrase: Phrase | null) => void

/** Parses a cell's tags: a JSON object or list of texts, or `key=value` and words. */
function takeTags(
  cell: string,
  tags: Record<string, string>,
  commas: ImportChoices['tagCommas'],
  tell: Tell,
): void {
  const take = (piece: string) => {
    const wrong = takeTag(piece, tags)
    if (wrong !== null) tell('tags', wrong)
  }
  const text = cell.trim()
  if (/^[{[]/.test(text)) {
    const wrong = takeJson(text, tags)
    if (wrong !== null) tell('tags', wrong)
    return
  }
  if (quotedList.test(text)) {
    for (const tag of text.slice(1, -1).split(/"\s*,\s*"/)) if (tag.trim() !== '') take(tag.trim())
    return
  }
  for (const label of text.split(betweenTags).map((one) => one.trim())) {
    if (label === '' || systemLabel.test(label)) continue
    const piece = label.replace(/^\* /, '')
    if (otherNotation.test(piece) || nothing.test(piece))
      tell('tags', { key: 'tag.notTag', text: toQuote(piece) })
    else if (!commaBetween.test(piece)) take(piece)
    else if (commas === 'split' || commas === 'as-one') {
      tell('tag-commas', null)
      const parts = commas === 'split' ? piece.split(',') : [piece]
      for (const part of parts) if (part.trim() !== '') take(part.trim())
    } else tell('tag-commas', { key: 'tag.commas', text: toQuote(piece) })
  }
}

/** A word, or `key=value`. */
function takeTag(text: string, tags: Record<string, string>): Phrase | null {
  const at = text.indexOf('=')
  if (at === 0) return { key: 'tag.noKey', text: toQuote(text) }
  if (at > 0) tags[text.slice(0, at).trim()] = text.slice(at + 1).trim()
  else if (text.length > bareTagMax) return { key: 'tag.long', text: toQuote(text) }
  else tags[text] = ''
  return null
}

function takeJson(text: string, tags: Record<string, string>): Phrase | null {
  let value: object
  try {
    value = JSON.parse(text) as object
  } catch {
    return { key: 'tag.notJson', text: toQuote(text) }
  }
  const isList = Array.isArray(value)
  let problem: Phrase | null = null
  for (const [key, one] of Object.entries(value) as [string, unknown][]) {
    if (typeof one !== 'string') problem ??= notText(isList ? null : key, one)
    else if (!isList) tags[key] = one
    else if (one.trim() !== '') {
      const wrong = takeTag(one.trim(), tags)
      problem ??= wrong
    }
  }
  return problem
}

function notText(name: string | null, value: unknown): Phrase {
  const text = toQuote(JSON.stringify(value))
  return name === null ? { key: 'tag.notText', text } : { key: 'tag.namedNotText', name: toQuote(name), text }
}

/** Distinct cells cached: most rows have one of a few. */
const tagsKept = 20_000

/** Tags as JSON without unreadable ones, and the first problem. */
export interface ReadTags {
  json: string
  problem: Phrase | null
  found: readonly RowProblem[]
}

/** Parses a row's tag cells, given as `column NUL cell NUL` repeatedly. */
export function createTagReading({
  columns,
  extraTags,
  tagCommas,
}: ImportChoices): (cells: string) => ReadTags {
  const known = new Map<string, ReadTags>()

  function read(cells: string): ReadTags {
    // No prototype, so a tag may be named `__proto__`.
    const tags = Object.create(null) as Record<string, string>
    let problem: Phrase | null = null
    const found = new Set<RowProblem>()
    const tell: Tell = (one, phrase) => {
      found.add(one)
      problem ??= phrase
    }
    const parts = cells.split('\0')
    for (let at = 0; at + 1 < parts.length; at += 2) {
      const target = columns[Number(parts[at])]!
      const cell = parts[at + 1]!
      if (target.to === 'tag') tags[target.tagKey] = cell
      else takeTags(cell, tags, tagCommas, tell)
    }
    return { json: JSON.stringify(Object.assign(tags, extraTags)), problem, found: [...found] }
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
