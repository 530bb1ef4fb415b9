import { expect, test } from 'vitest'
import { createStringTable } from '#electron/jobs/sheets/string-table.ts'

test('refuses more text than fits in memory, also in empty texts', () => {
  for (const text of ['0123456789', '']) {
    const strings = createStringTable(1_000)
    expect(() => {
      for (let count = 0; count < 100; count++) strings.add(text)
    }).toThrow(expect.objectContaining({ code: 'IMPORT_FILE_UNREADABLE' }))
  }
})
