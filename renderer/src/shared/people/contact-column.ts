import { t } from '../i18n/shared.texts.ts'
import type { Column } from '../table/columns.ts'

/** A column beside a number: the name of its contact, as `useKnownNumbers` gives it. */
export function contactColumn<T>(
  nameOf: (number: string | null | undefined) => string,
  phone: (row: T) => string | null | undefined,
): Column<T> {
  const text = (row: T) => nameOf(phone(row))
  return { id: 'contact', title: t('number.contact'), width: 96, grow: 1, hide: 3, text, hint: text }
}
