import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { addToken, listTokens, openTokenBook, revokeToken } from '#electron/relay/tokens.ts'
import { createFakeClock } from '../../helpers/fake-clock.ts'
import { quietLog } from '../../helpers/quiet-log.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'

describe('the tokens of a relay', () => {
  it('are stored as a hash that only the owner can read', () => {
    const dataDir = tempFolder()
    const token = addToken(dataDir, 'ana', 'main', 1)
    expect(token).toMatch(/^swr_[\w-]{43}$/)
    const folder = join(dataDir, 'tokens')
    expect(readdirSync(folder)).toEqual(['ana.json'])
    expect(readFileSync(join(folder, 'ana.json'), 'utf8')).not.toContain(token.slice(4))
    expect(statSync(join(folder, 'ana.json')).mode & 0o777).toBe(0o600)
  })

  it('follow additions and revocations of another process', async () => {
    const dataDir = tempFolder()
    const clock = createFakeClock()
    const first = addToken(dataDir, 'ana', 'main', 1)
    let changes = 0
    const book = openTokenBook(dataDir, clock, quietLog, () => changes++)
    const ana = book.find(first)!
    expect(book.isValid(ana)).toBe(true)
    const second = addToken(dataDir, 'bo', 'main', 2)
    // Looked for at once, because it is unknown; but not at every request.
    expect(book.find(second)).toMatchObject({ name: 'bo' })
    expect(book.readersOf('main')).toEqual(['ana', 'bo'])
    for (let miss = 0; miss < 10; miss++) book.find('swr_wrong')
    const third = addToken(dataDir, 'cy', 'main', 2)
    expect(book.find(third)).toBeUndefined()
    revokeToken(dataDir, 'ana', 3)
    await clock.advance(1_000)
    expect(book.isValid(ana)).toBe(false)
    expect(book.find(first)).toMatchObject({ name: 'ana', revokedMs: 3 })
    await clock.advance(10_000)
    expect(changes).toBe(2)
    book.close()
  })

  it('take a name again only after it was revoked', () => {
    const dataDir = tempFolder()
    const first = addToken(dataDir, 'ana', 'main', 1)
    expect(() => addToken(dataDir, 'ana', 'main', 2)).toThrow(
      /already a token named "ana"\. .* token revoke ana/,
    )
    revokeToken(dataDir, 'ana', 3)
    expect(addToken(dataDir, 'ana', 'main', 4)).not.toBe(first)
    expect(listTokens(dataDir)).toMatchObject([{ name: 'ana', revokedMs: null }])
  })

  it('refuse names that could leave the folder, and unknown ones', () => {
    const dataDir = tempFolder()
    for (const name of ['../x', 'a/b', '', 'A', '.x'])
      expect(() => addToken(dataDir, name, 'main', 1), name).toThrow(/can't be a token's name/)
    expect(() => revokeToken(dataDir, 'nobody', 1)).toThrow(/no token named "nobody".* token list/)
  })
})
