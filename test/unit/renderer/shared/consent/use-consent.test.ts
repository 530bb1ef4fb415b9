import { expect, it } from 'vitest'
import { nextTick, shallowRef } from 'vue'
import { useConsent } from '../../../../../renderer/src/shared/consent/use-consent.ts'
import { createRendererApp } from '../../../../helpers/renderer-app.ts'

it('keeps what was decided while the same file is read again, and drops it for another', async () => {
  const app = createRendererApp({ imports: { consent: () => ({ items: [] }) } })
  const of = (fileId: string, countryColumn: number | null) => ({
    ...{ fileId, headerRow: 1, phoneColumn: 0, region: 'DE', hasCountryCodes: false },
    countryColumn,
  })
  const source = shallowRef<ReturnType<typeof of> | null>(of('f-1', null))
  const { choices } = app.run(() =>
    useConsent(
      () => source.value,
      () => [],
    ),
  )
  const decided = [{ column: 2, action: 'skip' as const, no: ['x'] }]
  choices.value = decided
  for (const next of [null, of('f-1', 3)]) {
    source.value = next
    await nextTick()
    expect(choices.value).toEqual(decided)
  }
  source.value = of('f-2', null)
  await nextTick()
  expect(choices.value).toEqual([])
  app.scope.stop()
})
