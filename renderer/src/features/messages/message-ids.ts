import { messageIdMax, messageIdsMax } from '#contract/views/messages.ts'
import { withoutInvisible } from '../../shared/text/without-invisible.ts'
import { t } from './messages.texts.ts'

/** IDs as typed or pasted. */
interface TypedIds {
  /** Each once, in order. */
  ids: string[]
  /** Repeats that are not in `ids`. */
  repeated: number
  /** Why they can't be looked up; null when they can. */
  problem: string | null
}

/** A number as people write it, in groups: one text, which is no ID. Texts of seven digits and more are IDs of their own. */
function isWrittenNumber(text: string): boolean {
  const words = text.split(/ +/)
  const areIds = words.length > 1 && words.every((word) => /\d{7}/.test(word))
  return /^[+(0][\d ().\-/]{6,}$/.test(text) && !areIds
}

/** The IDs of a text, separated by spaces, commas, semicolons or lines, without quotes and invisible characters. */
export function readIds(typed: string): TypedIds {
  const text = withoutInvisible(typed).trim()
  const all = (isWrittenNumber(text) ? [text] : text.split(/[\s,;]+/))
    .map((part) => part.replace(/^["'`<“”„«‘’]+|["'`>“”»‘’]+$/g, ''))
    .filter((part) => part !== '')
  const ids = [...new Set(all)]
  const problem =
    ids.length > messageIdsMax
      ? t('search.tooMany', { max: messageIdsMax, n: ids.length })
      : ids.some((id) => id.length > messageIdMax)
        ? t('search.tooLong', { max: messageIdMax })
        : null
  return { ids, repeated: all.length - ids.length, problem }
}
