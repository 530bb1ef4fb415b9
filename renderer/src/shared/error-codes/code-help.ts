import { reportCodes } from '#contract/words.ts'
import { t } from '../i18n/shared.texts.ts'

/** Why reports have this code, and what to do, in an operator's words; null for codes that the spec doesn't name. */
export function codeHelp(code: string): { cause: string; todo: string } | null {
  const known = reportCodes.find((one) => one === code)
  if (known === undefined) return null
  return { cause: t(`errorCode.cause${known}`), todo: t(`errorCode.todo${known}`) }
}
