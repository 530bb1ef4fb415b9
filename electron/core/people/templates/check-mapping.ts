import { AppError } from '../../../contract/errors.ts'
import { isPhoneRegion } from '../../../lib/phone/parse-phone.ts'
import { readNumber } from '../../../lib/strict-number.ts'
import type { SendOrder } from './ott-sends.repository.ts'

/** Throws INVALID_INPUT unless every variable gets a value. */
export function checkMapping({ source, mapping, variables }: SendOrder): void {
  const refuse = (detail: string) => {
    throw new AppError('INVALID_INPUT', { detail })
  }
  if ('file' in source && !isPhoneRegion(source.file.region))
    refuse(`"${source.file.region}" is not a region`)
  const extra = mapping.find(({ name }) => !variables.some((variable) => variable.name === name))
  if (extra) refuse(`the template has no variable ${extra.name}`)
  for (const { name, type } of variables) {
    const from = mapping.find((one) => one.name === name)?.source
    if (!from) return refuse(`choose a value for ${name}`)
    const isOfContacts = from.from === 'tag' || from.from === 'email'
    if (isOfContacts && !('contacts' in source)) refuse(`a file has no ${from.from} for ${name}`)
    if (from.from === 'column' && !('file' in source)) refuse(`contacts have no columns for ${name}`)
    if (from.from === 'name' && 'file' in source && source.file.nameColumn === null)
      refuse(`${name} needs the file’s name column, and none is chosen`)
    if (from.from === 'empty' && type === 'number') refuse(`${name} is a number and cannot be empty`)
    if (from.from !== 'constant') continue
    if (from.value.trim() === '') refuse(`the constant for ${name} is empty`)
    const read = type === 'number' ? readNumber(from.value) : null
    if (read && !read.ok) refuse(`the constant for ${name} ${read.reason}`)
  }
}
