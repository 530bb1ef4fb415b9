import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openFolder } from '#electron/relay/documents.ts'
import { addToken, listTokens, openTokens, revokeToken } from '#electron/relay/tokens.ts'
import { createFakeClock } from '../../helpers/fake-clock.ts'
import { quietLog } from '../../helpers/quiet-log.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'

describe('the tokens of a relay', () => {
  it('are stored as a hash that only the owner can read', async () => {
    const dataDir = tempFolder()
    const token = await addToken(openFolder(dataDir), 'ana', 'main', 1)
    expect(token).toMatch(/^swr_[\w-]{43}$/)
    const folder = join(dataDir, 'tokens')
    expect(readdirSync(folder)).toEqual(['ana.json'])
    expect(readFileSync(join(folder, 'ana.json'), 'utf8')).not.toContain(token.slice(4))
    expect(statSync(join(folder, 'ana.json')).mode & 0o777).toBe(0o600)
  })

  it('follow additions and revocations of another process', async () => {
    const dataDir = tempFolder()
    const clock = createFakeClock()
    const first = await addToken(openFolder(dataDir), 'ana', 'main', 1)
    let changes = 0
    const tokens = openTokens(openFolder(dataDir), clock, quietLog, () => changes++)
    const ana = (await tokens.find(first))!
    expect(tokens.isValid(ana)).toBe(true)
    const second = await addToken(openFolder(dataDir), 'bo', 'main', 2)
    // Looked for at once, because it is unknown; but not at every request.
    expect(await tokens.find(second)).toMatchObject({ name: 'bo' })
    expect(tokens.readersOf('main')).toEqual(['ana', 'bo'])
    for (let miss = 0; miss < 10; miss++) await tokens.find('swr_wrong')
    const third = await addToken(openFolder(dataDir), 'cy', 'main', 2)
    expect(await tokens.find(third)).toBeUndefined()
    await revokeToken(openFolder(dataDir), 'ana', 3)
    await revokeToken(openFolder(dataDir), 'ana', 4)
    await clock.advance(1_000)
    expect(tokens.isValid(ana)).toBe(false)
    expect(await tokens.find(first)).toMatchObject({ name: 'ana', revokedMs: 3 })
    await clock.advance(10_000)
    expect(changes).toBe(2)
    const fourth = await addToken(openFolder(dataDir), 'dy', 'main', 4)
    expect(await tokens.find(fourth)).toMatchObject({ name: 'dy' })
    tokens.close()
  })

  it('are not called unknown while one of them can’t be read', async () => {
    const dataDir = tempFolder()
    const token = await addToken(openFolder(dataDir), 'ana', 'main', 1)
    const tokens = openTokens(openFolder(dataDir), createFakeClock(), quietLog, () => {})
    writeFileSync(join(dataDir, 'tokens', 'bo.json'), '{')
    await expect(tokens.find('swr_wrong')).rejects.toMatchObject({ code: 'STORAGE_FAILED' })
    expect(await tokens.find(token)).toMatchObject({ name: 'ana' })
    tokens.close()
  })

  it('take a name again only after it was revoked', async () => {
    const dataDir = tempFolder()
    const first = await addToken(openFolder(dataDir), 'ana', 'main', 1)
    await expect(addToken(openFolder(dataDir), 'ana', 'main', 2)).rejects.toThrow(
      /already a token named "ana"\. .* token revoke ana/,
    )
    await revokeToken(openFolder(dataDir), 'ana', 3)
    expect(await addToken(openFolder(dataDir), 'ana', 'main', 4)).not.toBe(first)
    expect(listTokens(openFolder(dataDir))).toMatchObject([{ name: 'ana', revokedMs: null }])
  })

  it('refuse names that could leave the folder, and unknown ones', async () => {
    const dataDir = tempFolder()
    for (const name of ['../x', 'a/b', '', 'A', '.x'])
      await expect(addToken(openFolder(dataDir), name, 'main', 1), name).rejects.toThrow(
        /can't be a token's name/,
      )
    await expect(revokeToken(openFolder(dataDir), 'nobody', 1)).rejects.toThrow(
      /no token named "nobody".* token list/,
    )
  })
})
