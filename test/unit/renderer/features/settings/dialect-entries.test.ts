import { describe, expect, it } from 'vitest'
import { dialectSchema } from '#contract/dialect.ts'
import { defaultDialect } from '#electron/core/service/field-names/dialect.ts'
import {
  dialectEntries,
  toDraft,
  withDraft,
} from '../../../../../renderer/src/features/settings/dialect-entries.ts'

const entry = (key: string) => dialectEntries.find((one) => one.key === key)!

describe('the dialect on the settings page', () => {
  it('lists every open name once', () => {
    expect(dialectEntries.map(({ key }) => key).sort()).toEqual(Object.keys(dialectSchema.shape).sort())
  })

  it.each(dialectEntries.map((one) => [one.key, one] as const))(
    'gives %s back unchanged when its texts are saved as they are, but set by hand',
    (key, one) => {
      const next = withDraft(defaultDialect, one, toDraft(defaultDialect, one))
      expect(dialectSchema.parse(next)[key]).toEqual({
        value: defaultDialect[key].value,
        provenance: 'set by hand',
      })
    },
  )

  it('leaves every other name alone', () => {
    const next = withDraft(defaultDialect, entry('dncCheckParameter'), { value: 'msisdn' })
    expect(next.dncCheckParameter).toEqual({ value: 'msisdn', provenance: 'set by hand' })
    expect({ ...next, dncCheckParameter: defaultDialect.dncCheckParameter }).toEqual(defaultDialect)
  })

  it('reads lists with blanks, doubles and trailing commas', () => {
    const next = withDraft(defaultDialect, entry('webhookCreateEvents'), {
      dlr: ' dlr, message.failed ,dlr,, ',
      mo: '',
    })
    expect(next.webhookCreateEvents.value).toEqual({ dlr: ['dlr', 'message.failed'], mo: [] })
  })
})
