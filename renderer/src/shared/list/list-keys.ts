import { t } from '../i18n/shared.texts.ts'

/** Keys of every list page, for the shortcuts sheet. `row` and `rows` name what it lists. */
export const listKeys = (row: string, rows: string, isSearchable = true): Record<string, string> => ({
  ...(isSearchable ? { '/': t('list.search', { rows }) } : {}),
  j: t('list.next', { row }),
  k: t('list.previous', { row }),
  enter: t('list.open', { row }),
  r: t('list.refresh', { rows }),
  escape: t('list.closeDetails'),
})
