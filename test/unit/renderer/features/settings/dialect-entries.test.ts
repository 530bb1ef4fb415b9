import { describe, expect, it } from 'vitest'
import { dialectSchema } from '#contract/dialect.ts'
import { defaultDialect } from '#electron/core/service/field-names/dialect.ts'
import {
  dialectEntries,
  toDraft,
  withDraft,
} from '../../../../../renderer/src/features/settings/dialect-entries.ts'

const entry = (key: string) => dialectEntries.find((one) => one.key === key)!

describe('the field names in Settings', () => {
  it('list every open name once', () => {
    expect(dialectEntries.map(({ key }) => key).sort()).toEqual(Object.keys(dialectSchema.shape).sort())
  })

  it.each(dialectEntries.map((one) => [one.key, one] as const))(
    'keep the value of %s when it is saved unchanged, as set manually',
    (key, one) => {
      const next = withDraft(defaultDialect, one, toDraft(defaultDialect, one))
      expect(dialectSchema.parse(next)[key]).toEqual({
        value: defaultDialect[key].value,
        provenance: 'set by hand',
      })
    },
  )

  it('leave every other name alone', () => {
    const next = withDraft(defaultDialect, entry('dncCheckParameter'), { value: 'msisdn' })
    expect(next.dncCheckParameter).toEqual({ value: 'msisdn', provenance: 'set by hand' })
    expect({ ...next, dncCheckParameter: defaultDialect.dncCheckParameter }).toEqual(defaultDialect)
  })

  it('read lists with spaces, repeats and trailing commas', () => {
    const next = withDraft(defaultDialect, entry('webhookCreateEvents'), {
      dlr: ' dlr, message.failed ,dlr,, ',
      mo: '',
    })
    expect(next.webhookCreateEvents.value).toEqual({ dlr: ['dlr', 'message.failed'], mo: [] })
  })
})
