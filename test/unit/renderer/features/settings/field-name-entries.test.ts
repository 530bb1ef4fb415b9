import { describe, expect, it } from 'vitest'
import { fieldNamesSchema } from '#contract/field-names.ts'
import { defaultFieldNames } from '#electron/core/service/field-names/default-field-names.ts'
import {
  fieldNameEntries,
  toDraft,
  withDraft,
} from '../../../../../renderer/src/features/settings/field-name-entries.ts'

const entry = (key: string) => fieldNameEntries.find((one) => one.key === key)!

describe('the field names in Settings', () => {
  it('list every open name once', () => {
    expect(fieldNameEntries.map(({ key }) => key).sort()).toEqual(Object.keys(fieldNamesSchema.shape).sort())
  })

  it.each(fieldNameEntries.map((one) => [one.key, one] as const))(
    'keep the value of %s when it is saved unchanged, as set manually',
    (key, one) => {
      const next = withDraft(defaultFieldNames, one, toDraft(defaultFieldNames, one))
      expect(fieldNamesSchema.parse(next)[key]).toEqual({
        value: defaultFieldNames[key].value,
        provenance: 'set by hand',
      })
    },
  )

  it('leave every other name alone', () => {
    const next = withDraft(defaultFieldNames, entry('dncCheckParameter'), { value: 'msisdn' })
    expect(next.dncCheckParameter).toEqual({ value: 'msisdn', provenance: 'set by hand' })
    expect({ ...next, dncCheckParameter: defaultFieldNames.dncCheckParameter }).toEqual(defaultFieldNames)
  })

  it('read lists with spaces, repeats and trailing commas', () => {
    const next = withDraft(defaultFieldNames, entry('webhookCreateEvents'), {
      dlr: ' dlr, message.failed ,dlr,, ',
      mo: '',
    })
    expect(next.webhookCreateEvents.value).toEqual({ dlr: ['dlr', 'message.failed'], mo: [] })
  })
})
