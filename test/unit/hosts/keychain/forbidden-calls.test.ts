import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../../../electron')

test('names no keytar call in electron/ that crashes on a locked keyring', () => {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const offenders = files
    .map((file) => join(file.parentPath, file.name))
    .filter((path) => /findCredentials|findPassword/.test(readFileSync(path, 'utf8')))
  expect(files.length).toBeGreaterThan(10)
  expect(offenders).toEqual([])
})
