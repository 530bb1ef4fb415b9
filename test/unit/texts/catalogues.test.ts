import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../../..')
/** All English catalogues, without `.en.json`. */
const catalogues = globSync('{renderer,electron}/**/*.en.json', { cwd: root }).map((path) =>
  path.replace(/\.en\.json$/, ''),
)
/** Spanish files that are not written yet. */
const pending: string[] = []

type Messages = { [key: string]: string | Messages }
const read = (path: string) => flat(JSON.parse(readFileSync(resolve(root, path), 'utf8')) as Messages)

function flat(messages: Messages, prefix = ''): [key: string, message: string][] {
  return Object.entries(messages).flatMap(([key, message]) =>
    typeof message === 'string'
      ? [[prefix + key, message] as [string, string]]
      : flat(message, `${prefix}${key}.`),
  )
}

/** The names in braces, and the number of plural forms. */
const shape = (message: string) =>
  [...new Set(message.match(/\{\w+\}/g))].sort().join() + ` × ${message.split(' | ').length}`

describe.each(catalogues)('%s', (name) => {
  it('uses typographic quotes and apostrophes', () => {
    expect(read(`${name}.en.json`).filter(([, message]) => /["`]|\w'\w/.test(message))).toEqual([])
  })

  it('names a country only where it needs no article and no adjective', () => {
    const wrong = /\b(?:in|of|from|for|to) \{(?:region|country)\}|\{(?:region|country)\} numbers?\b/
    expect(read(`${name}.en.json`).filter(([, message]) => wrong.test(message))).toEqual([])
  })

  it.skipIf(pending.includes(name))('has the keys, values and plural forms in Spanish, too', () => {
    const shapes = (path: string) =>
      Object.fromEntries(read(path).map(([key, message]) => [key, shape(message)]))
    expect(shapes(`${name}.es.json`)).toEqual(shapes(`${name}.en.json`))
  })
})

it('every Spanish catalogue has an English one', () => {
  const spanish = globSync('{renderer,electron}/**/*.es.json', { cwd: root })
  for (const path of spanish) expect(catalogues).toContain(path.replace(/\.es\.json$/, ''))
})
