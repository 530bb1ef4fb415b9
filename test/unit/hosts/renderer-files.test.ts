import { writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { loadRendererFiles } from '#electron/hosts/renderer-files.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'

test('lists files by path below the folder, however the folder is written', () => {
  const dir = tempFolder()
  writeFileSync(join(dir, 'index.html'), '<!doctype html>')
  for (const written of [dir, `${dir}/`, `./${relative('.', dir)}`])
    expect([...loadRendererFiles(written).keys()]).toContain('/index.html')
})
