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
  ['Opt-in', 'opted out by SMS', 'no'],
  ['OK to text', 'N', 'no'],
  ['OK to text?', 'yes', 'yes'],
  ['Text OK', 'no', 'no'],
  ['Can we call?', 'no', 'no'],
  ['Contactable', 'FALSE', 'no'],
  ['Status', 'not contactable', 'never'],
  ['Werbung erlaubt', 'nein', 'no'],
  ['Werbung', 'nicht erlaubt', 'never'],
  ['Keine Werbung', 'ja', 'no'],
  ['Peut être contacté', 'non', 'no'],
  ['No molestar', 'sí', 'no'],
  ['TPS', 'Y', 'no'],
  ['TPS', 'Not registered', 'yes'],
  ['TPS status', 'Registered', 'no'],
  // A check has a result, but being checked is none.
  ['TPS checked', 'yes', 'unknown'],
  ['TPS check', '2026-01-02', 'unknown'],
  ['TPS check', 'Listed', 'no'],
  ['DNC status', 'Listed', 'no'],
  ['DNC status', 'Not listed', 'yes'],
  ['DNC status', 'On list', 'no'],
  ['DNC status', 'Clear', 'yes'],
  ['Status', 'Registered', 'unknown'],
  ['Robinson list', 'x', 'no'],
  // Who unsubscribed from emails may still agree to messages.
  ['Unsubscribed from all email', 'true', null],
  ['Unsubscribed from all email and SMS', 'true', 'no'],
  ['Согласие на SMS', 'нет', 'no'],
  ['Согласие на рассылку СМС', 'да', 'yes'],
  ['Согласие', 'не согласен', 'never'],
  ['Статус подписки', 'Отписан', 'no'],
  ['Не звонить', 'да', 'no'],
  ['Отписался', '', 'yes'],
  ['Згода', 'ні', 'no'],
  ['Συγκατάθεση', 'όχι', 'no'],
  ['موافقة', 'لا', 'no'],
  ['إلغاء الاشتراك', 'نعم', 'no'],
  ['הסכמה לדיוור', 'לא', 'no'],
  ['הוסר', 'כן', 'no'],
  ['सहमति', 'नहीं', 'no'],
  ['短信同意', '否', 'no'],
  ['同意', '不同意', 'no'],
  ['退订', '是', 'no'],
  ['配信停止', 'はい', 'no'],
  ['수신동의', '아니오', 'no'],
  ['수신거부', '예', 'no'],
  ['Zgoda', 'nie', 'no'],
  ['Souhlas', 'ne', 'no'],
  ['SMS izni', 'hayır', 'no'],
  ['Samtycke', 'nej', 'no'],
  // A part of another word says nothing.
  ['Ценообразование', 'нет', null],
  ['Cookbook', 'no', null],
  ['Steps', 'yes', null],
] as const)('“%s” with the value “%s”: %s', (title, value, meaning) => {
  expect(meaningOf(title, value)).toBe(meaning)
})
