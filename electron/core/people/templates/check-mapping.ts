import type { Phrase } from '../../../contract/phrases.ts'
import { AppError } from '../../../contract/errors.ts'
import { isPhoneRegion } from '../../../lib/phone/parse-phone.ts'
import { readLoneNumber } from '../../../contract/strict-number.ts'
import type { SendOrder } from './ott-sends.repository.ts'

/** Throws INVALID_INPUT unless every variable gets a value. */
export function checkMapping({ source, mapping, variables }: SendOrder): void {
  const refuse = (detail: Phrase) => {
    throw new AppError('INVALID_INPUT', { detail })
  }
  if ('file' in source && !isPhoneRegion(source.file.region))
    refuse({ key: 'input.notRegion', region: source.file.region })
  const extra = mapping.find(({ name }) => !variables.some((variable) => variable.name === name))
  if (extra) refuse({ key: 'input.noVariable', name: extra.name })
  for (const { name, type } of variables) {
    const from = mapping.find((one) => one.name === name)?.source
    if (!from) return refuse({ key: 'input.chooseValue', name })
    const isOfContacts = ['tag', 'email', 'first-name', 'last-name'].includes(from.from)
    if (isOfContacts && !('contacts' in source)) refuse({ key: 'input.fileHasNo', name })
    if (from.from === 'column' && !('file' in source)) refuse({ key: 'input.noColumns', name })
    if (from.from === 'name' && 'file' in source && source.file.nameColumn === null)
      refuse({ key: 'input.nameColumn', name })
    if (from.from === 'empty' && type === 'number') refuse({ key: 'input.emptyNumber', name })
    if (from.from !== 'constant') continue
    if (from.value.trim() === '') refuse({ key: 'input.emptyConstant', name })
    const read = type === 'number' ? readLoneNumber(from.value) : null
    if (read && !read.ok) refuse({ key: 'input.constant', name, reason: read.reason })
  }
}
