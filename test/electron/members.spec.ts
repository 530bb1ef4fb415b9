import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { usesFolder } from './desktop.ts'
import { expect, test } from './fixtures.ts'
import { usedMembers } from './members.ts'

/** What belongs to another system, or to the moment before a test can look on. */
const unseen = new Set<string>([])

test('every member and event of Electron that the console uses is exercised by a spec over the double', () => {
  const exercised = new Set(
    (existsSync(usesFolder) ? readdirSync(usesFolder) : []).flatMap((name) =>
      readFileSync(join(usesFolder, name), 'utf8').split('\n'),
    ),
  )
  expect(usedMembers().filter((name) => !exercised.has(name) && !unseen.has(name))).toEqual([])
})
