import { statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openWitness, readWitness, witnessFile, writeWitness } from '#electron/database/witness.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'

describe('the witness of a database', () => {
  it('remembers the last number written, across runs', () => {
    const file = join(tempFolder(), 'journal.db')
    expect(readWitness(file)).toBeNull()
    writeWitness(file, { lastSeq: 123_456, storedSeq: 123_400, missing: 7 })
    const witness = openWitness(file)
    expect(readWitness(file)).toEqual({ lastSeq: 123_456, storedSeq: 123_400, missing: 7 })
    witness.write({ lastSeq: 7, storedSeq: 7, missing: 0 })
    expect(readWitness(file)).toEqual({ lastSeq: 7, storedSeq: 7, missing: 0 })
    witness.close()
    witness.close()
    expect(statSync(witnessFile(file)).mode & 0o777).toBe(0o600)
  })

  it.each(['', '\0'.repeat(64), 'seq x', 'seq -1 5\n', 'seq 5 stored 5 at 1\n', '{"lastSeq":5}'])(
    'ignores %j',
    (text) => {
      const file = join(tempFolder(), 'journal.db')
      writeFileSync(witnessFile(file), text)
      expect(readWitness(file)).toBeNull()
    },
  )

  it('ignores a truncated line', () => {
    const file = join(tempFolder(), 'journal.db')
    writeWitness(file, { lastSeq: 123_456, storedSeq: 123_400, missing: 7 })
    truncateSync(witnessFile(file), 6)
    expect(readWitness(file)).toBeNull()
  })
})
