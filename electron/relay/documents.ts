import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type * as z from 'zod'
import { writeDurably } from './durable-file.ts'

/** Small documents by key, such as `tokens/ana`: what the relays of one store and the command line share. */
export interface Documents {
  /** As of the last `refresh` or own change. */
  read(key: string): string | undefined
  keys(prefix: string): string[]
  /**
   * Durably replaces a document with what `change` makes of the newest one; undefined removes it. `change` runs again
   * when another process was faster.
   */
  update(key: string, change: (newest: string | undefined) => string | undefined): Promise<void>
  /** Fetches what others changed. When it rejects, what was known stays. */
  refresh(): Promise<void>
  /** Where a person finds a document. */
  place(key: string): string
}

/** The content of a document; null when it is missing or damaged. */
export function readJson<T>(shape: z.ZodType<T>, text: string | undefined): T | null {
  try {
    return text === undefined ? null : shape.parse(JSON.parse(text))
  } catch {
    return null
  }
}

const folders = ['tokens', 'readers', 'drops', 'feeds', 'here']

/** Documents as files in the data folder. */
export function openFolder(dataDir: string): Documents {
  const fileOf = (key: string) => join(dataDir, `${key}.json`)
  let known = load()

  function load(): Map<string, string> {
    const found = new Map<string, string>()
    for (const folder of folders) {
      if (!existsSync(join(dataDir, folder))) continue
      for (const name of readdirSync(join(dataDir, folder), { recursive: true, encoding: 'utf8' }).sort()) {
        if (!name.endsWith('.json')) continue
        const key = `${folder}/${name.slice(0, -'.json'.length).replaceAll('\\', '/')}`
        found.set(key, readFileSync(fileOf(key), 'utf8'))
      }
    }
    return found
  }

  return {
    read: (key) => known.get(key),
    keys: (prefix) => [...known.keys()].filter((key) => key.startsWith(prefix)),
    async update(key, change) {
      const file = fileOf(key)
      const newest = existsSync(file) ? readFileSync(file, 'utf8') : undefined
      const text = change(newest)
      if (text === undefined) {
        rmSync(file, { force: true })
        known.delete(key)
        return
      }
      if (text !== newest) {
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
        writeDurably(file, text)
      }
      known.set(key, text)
    },
    async refresh() {
      known = load()
    },
    place: fileOf,
  }
}
