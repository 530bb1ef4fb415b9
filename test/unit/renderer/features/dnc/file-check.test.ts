import { ORPCError } from '@orpc/client'
import { expect, it } from 'vitest'
import type { Ref } from 'vue'
import FileCheck from '../../../../../renderer/src/features/dnc/components/FileCheck.vue'
import type { NumberReading } from '../../../../../renderer/src/shared/numbers/number-reading.ts'
import { createRendererApp, setupOf } from '../../../../helpers/renderer-app.ts'

interface Shown {
  file: Ref<unknown>
  start: () => Promise<void>
  error: Ref<unknown>
  reading: { choose(reading: NumberReading): void }
}

it('drops the error of a failed start with its file', async () => {
  const app = createRendererApp({
    dnc: {
      checkFile: () => {
        throw new ORPCError('STORAGE_BUSY')
      },
    },
  })
  const { file, start, error, reading } = app.run(() => setupOf<Shown>(FileCheck, {}))
  const choice = { name: 'a.csv', header: ['phone'], headerRow: 1, phoneColumn: 0, numberColumns: [0] }
  file.value = { ...choice, fileId: 'f-1' }
  reading.choose({ region: 'DE', hasCountryCodes: false })
  await start()
  expect(error.value).toMatchObject({ code: 'STORAGE_BUSY' })
  file.value = { ...choice, fileId: 'f-2' }
  await expect.poll(() => error.value).toBeNull()
  app.scope.stop()
})
