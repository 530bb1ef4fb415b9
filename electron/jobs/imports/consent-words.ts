import { fold } from '../../lib/fold.ts'
import { wordsOf } from '../../lib/title-words.ts'

/** What a column of a file says: that a person agrees, that they refuse, or either by its words. */
export type ConsentKind = 'agrees' | 'refuses' | 'status'
/** What a value says. `never`: the person never agreed. */
export type ConsentMeaning = 'no' | 'never' | 'yes' | 'unknown'

/** A column that may say who must not be contacted. */
export interface ConsentColumn {
  column: number
  title: string
  kind: ConsentKind
}

/** Patterns of whole words, in any alphabet, for words with a blank between them. */
const words = (...patterns: readonly string[]) =>
  new RegExp(`(?<!\\S)(?:${patterns.map(fold).join('|')})(?!\\S)`, 'u')
/** The same, of a whole text. */
const exactly = (...patterns: readonly string[]) => new RegExp(`^(?:${patterns.map(fold).join('|')})$`, 'u')
/** Words of languages that are written without blanks. */
const parts = (list: string) => new RegExp(fold(list), 'u')

const contact = '(call|contact|text|sms|mms|message|messages|texts|calls|whatsapp|mail|marketing|ads)'
const refusing = words(
  'unsubscribed?|unsubscribes?|unsub|opt(ed)? ?outs?|dnc|dnd|blocked|blacklist(ed)?|suppress(ed|ion)?|stop(ped)?|revoked|withdrawn',
  `do not (${contact}|disturb)|dont ${contact}|no ${contact}|c?tps|(telephone )?preference service|robinson( list[ae]?)?|bloctel|uncontactable`,
  'abgemeldet|abmeldung|gesperrt|sperre|werbesperre|kontaktsperre|sperrliste|widerruf(en)?|widerspruch|nicht (anrufen|kontaktieren|storen)',
  'keine? (werbung|sms|anrufe?|nachrichten|kontakte?)|baja|dado de baja|desuscrito|no (llamar|contactar|molestar|enviar)',
  'desabonne|desinscrit|desinscription|ne pas (appeler|contacter|deranger)|disiscritto|non (chiamare|contattare|disturbare)',
  'descadastrado|nao (ligar|contatar|contactar|perturbe)|afgemeld|uitgeschreven|niet (bellen|contacteren|storen)|bel me niet',
  'wypisan[ya]|nie (dzwonic|kontaktowac)|odhlas(en|it)|leiratkozott|nem hivhato|aranmasin|avregistrerad|ring inte',
  'отказ(ался|алась)?|отписан(а|ы)?|отписал(ся|ась)|отписка|не (звонить|писать|беспокоить|отправлять|контактировать)|черный список',
  'стоп лист|заблокирован(а)?|відмова|відписан(ий|а|о)|не (дзвонити|писати|турбувати)|чорний список|заблоковано|да не се звъни',
  'διαγραφή|απεγγραφή|μην καλείτε|لا تتصل|عدم (الاتصال|الإزعاج)|الغاء الاشتراك|إلغاء الاشتراك|رفض|محظور|הוסר|הסרה|מוסר|חסום|לא לפנות|סירוב',
  'अवरुद्ध|संपर्क न करें|परेशान न करें',
)
const refusingParts = parts(
  '不同意|拒绝|拒絕|拒否|退订|退訂|取消订阅|取消訂閱|免打扰|勿扰|请勿|請勿|黑名单|黑名單|配信停止|オプトアウト|수신거부|거부|차단|ไม่ยินยอม|ปฏิเสธ|ห้ามโทร',
)
const agreeing = words(
  'consent(ed|s)?|opt(ed)? ?ins?|subscribed|subscriber|accepts?|permissions?|permitted|marketing|allow(ed|s)?|agreed|contactable',
  `ok(ay)? (to|for) ${contact}|${contact} ok(ay)?|(can|may|can we|may we|happy to) (be )?(${contact}|contacted|called|texted)`,
  'einwilligung|zustimmung|einverstandnis|erlaubt|erlaubnis|werbung|newsletter|kontaktierbar|consentimiento|acepta|autoriza|suscrito',
  'se puede (llamar|contactar)|permite|contactable|consentement|accepte|accord|abonne|joignable|(peut|peuvent) etre contactes?|consenso|iscritto|contattabile',
  'consentimento|aceita|inscrito|autorizado|toestemming|akkoord|aangemeld|toegestaan|contacteerbaar|gdpr|dsgvo|rgpd|lopd',
  'zgod[ay]|souhlas|suhlas|hozzajarulas|acord|consimtamant|pristanak|soglasje|(sms )?izni?|onayi?|samtycke|samtykke|suostumus',
  'согласи[ея]|согласен|согласна|разрешени[ея]|разрешено|подписан(а)?|подписк[аи]|можно (звонить|писать)|згода|дозвіл|підписк[аи]|съгласие',
  'συγκατάθεση|συναίνεση|αποδοχή|موافق|موافقة|الموافقة|اشتراك|مشترك|הסכמה|אישור|सहमति|अनुमति',
)
const agreeingParts = parts('同意|许可|許可|订阅|訂閱|オプトイン|동의|ยินยอม')
const statusTitle =
  /^((sms|text|phone|contact|customer|subscriber|member|marketing|subscription|opt|dnc|consent|mobile|whatsapp) )*(status|state|subscription|estado|statut|stato|situacao|статус|состояние|стан|κατασταση|状态|狀態|상태)$/u
/** Channels that are no phone. */
const otherChannel = words(
  'e ?mails?|mail|mailing|correo|courriel|fax|post|postal|push|web|newsletter|почт[аыу]|имейл|邮件|郵件|メール|이메일',
)
const phoneChannel = words(
  'sms|mms|texts?|phone|calls?|mobile|whatsapp|telefon|telefono|telephone|handy|anrufen|смс|телефон|звонк(и|ов)|短信|電話|电话|문자|전화',
)
/** About a consent, without saying it. */
const detail = words(
  'timestamp|date|time|at|on|source|ip|method|region|country|by|reason|level|url|form|version|datum|fecha|quelle|дата|время|источник|日期|日時|날짜',
)
const refusalDetail = words('reason|source|by|ip|method|url|причина|источник')
/** The result of looking someone up in a list. */
const check = words('check(ed|s)?|screen(ed|ing)?|lookup|scrub(bed)?|result')

function kindOf(title: string): ConsentKind | null {
  if (refusing.test(title) || refusingParts.test(title)) {
    // A time of refusal says no.
    if (refusalDetail.test(title)) return null
    return check.test(title) ? 'status' : 'refuses'
  }
  // "SMS consent status" may hold yes and no, so it is a consent. The time or source of a consent says nothing.
  if (agreeing.test(title) || agreeingParts.test(title)) return detail.test(title) ? null : 'agrees'
  return statusTitle.test(title) ? 'status' : null
}

/** The columns whose titles may be about consent to be contacted by phone. An email-only column isn't. */
export function consentColumns(header: readonly string[]): ConsentColumn[] {
  return header.flatMap((title, column) => {
    const text = wordsOf(title).join(' ')
    if (otherChannel.test(text) && !phoneChannel.test(text)) return []
    const kind = kindOf(text)
    return kind === null ? [] : [{ column, title, kind }]
  })
}

const setOf = (...lists: readonly string[]): ReadonlySet<string> =>
  new Set(lists.flatMap((list) => fold(list).split('|')))
const neverWords = setOf(
  'never subscribed|not subscribed|non subscribed|nonsubscribed|not opted in|no consent|never|pending|unconfirmed|not confirmed|never opted in',
  'none|no permission|nie angemeldet|nicht angemeldet|nunca suscrito|no suscrito|jamais abonne|mai iscritto|nunca inscrito|nooit ingeschreven',
  'нет согласия|не подписан|не подписана|未同意|未订阅|未訂閱|미동의',
)
const yesWords = setOf(
  'subscribed|opted in|opt in|optin|granted|confirmed|consented|accepted|agreed|allowed|active|explicit|given|single opt in|double opt in',
  'express|ok|okay|permitted|contactable|angemeldet|zugestimmt|erteilt|erlaubt|suscrito|acepta|aceptado|permitido|abonne|accepte|autorise',
  'iscritto|acconsentito|inscrito|aceito|ingeschreven|aangemeld|toegestaan|zgoda|souhlas|подписан|подписана|согласен|согласна|разрешено',
  'підписаний|згоден|згодна|موافق|מאשר|同意|已同意|已订阅|已訂閱|동의|수신동의',
)
const noWords = exactly(
  'unsubscribed?|unsub|opted out|opt out|optout|opted ?out .*|revoked|withdrawn|denied|declined|refused|rejected|objected|uncontactable',
  'do not (call|contact|text|sms|disturb|mail).*|dnc|dnd|stop(ped)?|blocked|blacklisted|suppressed|removed|cleaned|complained|spam',
  'cancell?ed|abgemeldet|abbestellt|widerrufen|widersprochen|abgelehnt|gesperrt|(dado de )?baja|desuscrito|cancelado|rechazado|desabonne',
  'desinscrit|refuse|disiscritto|rifiutato|negato|revocato|descadastrado|recusado|revogado|uitgeschreven|afgemeld|geweigerd|ingetrokken',
  'wypisan[ya]|odmowa|отписан(а)?|отписал(ся|ась)|отказ(ался|алась|ано)?|заблокирован(а)?|запрещено|відписан(ий|а)|відмова|отказано',
  'رفض|مرفوض|ملغى|محظور|הוסר|סירב|סירבה|不同意|拒绝|拒絕|拒否|退订|退訂|已退订|已退訂|已取消|수신거부|거부|미수신',
)
/** What a list of refusals says of a number. */
const listed = exactly(
  '(is )?listed|on (the )?(\\S+ )?(list|register)|on (dnc|dnd|c?tps)|gelistet|auf der liste|en la lista',
)
const notListed = exactly(
  'unlisted|clear|clean|ok(ay)?|pass(ed)?|nicht gelistet|(is )?not (on .*|listed|registered)',
)
const trueWords = setOf(
  'true|yes|y|1|x|t|on|ja|j|si|s|oui|o|sim|wahr|verdadero|vrai|vero|verdadeiro|waar|checked|✓|✔|☑|да|так|д|ναι|نعم|כן|हाँ|是|はい|예|네|ใช่',
  'evet|tak|ano|igen|da|jo|joo|kylla',
)
const falseWords = setOf(
  'false|no|n|0|f|off|nein|non|nao|nee|falsch|falso|faux|onwaar|unchecked|✗|✘|☐|-|нет|ні|не|н|όχι|لا|לא|नहीं|否|不|いいえ|아니오|아니요|ไม่',
  'ไม่ใช่|hayir|nie|ne|nem|nu|nej|nei|ei',
)
/** "Not granted": a word that says yes, denied. */
const denied = /^(?:not|non|no|nicht|nao|niet|nie|ne|nem|nej|inte|ikke|не|ні|δεν|لا|غير|לא) (.+)$/u
const dateShape = /^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}([ t,].*)?$/

/** One key for the spellings of a value: `Opted-out` and `OPTED_OUT`; dates share `(date)`, empty cells the empty text. */
export function consentKey(cell: string): string {
  const text = cell
    .replace(/\p{Cf}/gu, '')
    .trim()
    .toLowerCase()
  if (dateShape.test(text)) return '(date)'
  const folded = wordsOf(text).join(' ')
  return (folded === '' ? text : folded).slice(0, 200)
}

/** What a value's key says in such a column. */
export function consentMeaning(kind: ConsentKind, key: string): ConsentMeaning {
  if (neverWords.has(key) && !(kind === 'refuses' && (key === 'never' || key === 'none'))) return 'never'
  if (kind !== 'agrees' && listed.test(key)) return 'no'
  if (kind === 'refuses' && key === 'registered') return 'no'
  if (kind === 'refuses' && notListed.test(key)) return 'yes'
  if (noWords.test(key)) return 'no'
  if (yesWords.has(key)) return 'yes'
  const [, rest = ''] = denied.exec(key) ?? []
  if (yesWords.has(rest)) return 'never'
  if (noWords.test(rest) || (kind !== 'agrees' && listed.test(rest))) return 'yes'
  if (kind === 'status') return 'unknown'
  if (key === '') return kind === 'refuses' ? 'yes' : 'unknown'
  if (key === '(date)' || trueWords.has(key)) return kind === 'agrees' ? 'yes' : 'no'
  if (falseWords.has(key) || key === 'never' || key === 'none') return kind === 'agrees' ? 'no' : 'yes'
  return 'unknown'
}
