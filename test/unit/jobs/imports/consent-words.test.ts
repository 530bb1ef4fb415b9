import { expect, test } from 'vitest'
import { consentColumns, consentKey, consentMeaning } from '#electron/jobs/imports/consent-words.ts'

/** What a column with this title says by a value; null if the title is not about consent. */
const meaningOf = (title: string, value: string) => {
  const [column] = consentColumns([title])
  return column ? consentMeaning(column.kind, consentKey(value)) : null
}

test.each([
  ['SMS Consent Status', 'No', 'no'],
  ['SMS Consent Status', 'yes', 'yes'],
  ['SMS Consent Status', 'Pending', 'never'],
  ['SMSConsentStatus', 'OPT_OUT', 'no'],
  ['SMSOptIn', 'false', 'no'],
  ['DNCStatus', 'Yes', 'no'],
  ['DNC status', 'no', 'yes'],
  ['Opt-in', 'Not granted', 'never'],
  ['Einwilligung', 'nicht erteilt', 'never'],
  ['Opt-out', 'Not opted out', 'yes'],
  ['Opt-in', 'maybe', 'unknown'],
  ['Subscription status', 'unsubscribed', 'no'],
  ['Email consent', 'no', null],
  ['SMS consent date', '2026-01-02', null],
  ['Order number', 'no', null],
] as const)('“%s” with the value “%s”: %s', (title, value, meaning) => {
  expect(meaningOf(title, value)).toBe(meaning)
})
