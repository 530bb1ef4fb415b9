import { parseExactJson } from '../lib/exact-json.ts'

/** Names and values of a web form, encoded as in an address. */
const form = /^[\w.$%*[\]-]+=[^]*$/
/** The boundary of a form in several parts is its first line. */
const parts = /^(?:\r?\n)*(--[^\r\n]{1,72})\r?\n/
const partName = /^content-disposition:.*?\bname="?([^";\r\n]*)/im

/** A field may hold JSON, as in `payload={…}`. A plus that wasn't encoded became a blank. */
function valueOf(text: string): unknown {
  if (!/^\s*[{[]/.test(text)) return text.replace(/^ (?=\d{7,15}$)/, '+')
  try {
    return parseExactJson(text)
  } catch {
    return text
  }
}

function partsOf(text: string, boundary: string): [string, unknown][] {
  return text.split(boundary).flatMap((part): [string, unknown][] => {
    const [, head = '', value = ''] = /^([^]*?)\r?\n\r?\n([^]*?)(?:\r?\n)?$/.exec(part) ?? []
    const [, name] = partName.exec(head.trim()) ?? []
    return name === undefined ? [] : [[name, valueOf(value)]]
  })
}

/** A field that comes several times with other values holds a list: each may be a person. */
function fieldsOf(pairs: [string, unknown][]): Record<string, unknown> {
  const byName = Map.groupBy(pairs, ([name]) => name.replace(/\[\]$/, ''))
  return Object.fromEntries(
    [...byName].map(([name, all]) => {
      const values = [...new Set(all.map(([, value]) => value))]
      return [name, values.length === 1 ? values[0] : values]
    }),
  )
}

/** What a body says: its JSON, or the fields of a web form as an object. Throws as `JSON.parse`. */
export function readBody(text: string): unknown {
  const [, boundary] = parts.exec(text) ?? []
  if (boundary !== undefined) return fieldsOf(partsOf(text, boundary))
  if (!form.test(text)) return parseExactJson(text)
  const fields = [...new URLSearchParams(text.trim())]
  return fieldsOf(fields.map(([name, value]) => [name, valueOf(value)]))
}
