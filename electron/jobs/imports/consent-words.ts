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

const refusing =
  /\b(unsubscribed?|unsubscribes?|unsub|opt(ed)? ?outs?|do not (call|contact|text|sms|disturb)|dnc|dnd|no (llamar|contactar|sms|calls?|texts?|contact)|blocked|blacklist(ed)?|suppress(ed|ion)?|stop(ped)?|abgemeldet|abmeldung|gesperrt|sperre|werbesperre|nicht (anrufen|kontaktieren)|baja|dado de baja|desuscrito|desabonne|desinscrit|desinscription|ne pas (appeler|contacter)|disiscritto|non (chiamare|contattare)|descadastrado|nao (ligar|contatar|contactar)|afgemeld|uitgeschreven|niet (bellen|contacteren)|revoked|withdrawn|widerruf(en)?)\b/
const agreeing =
  /\b(consent(ed|s)?|opt(ed)? ?ins?|subscribed|subscriber|accepts|accept|permission|marketing|allow(ed|s)?|agreed|einwilligung|zustimmung|einverstandnis|newsletter|consentimiento|acepta|autoriza|suscrito|consentement|accepte|abonne|consenso|iscritto|consentimento|aceita|inscrito|toestemming|akkoord|aangemeld|gdpr|dsgvo|rgpd|lopd)\b/
const statusTitle =
  /^((sms|text|phone|contact|customer|subscriber|member|marketing|subscription|opt|dnc|consent|mobile|whatsapp) )*(status|state|subscription|estado|statut|stato|situacao)$/
/** Channels that are no phone. */
const otherChannel = /\b(e ?mails?|mail|mailing|correo|courriel|fax|post|postal|push|web|newsletter)\b/
const phoneChannel =
  /\b(sms|mms|text|texts|phone|call|calls|mobile|whatsapp|telefon|telefono|telephone|handy|anrufen)\b/
/** About a consent, without saying it. */
const detail =
  /\b(timestamp|date|time|at|on|source|ip|method|region|country|by|reason|level|url|form|version|datum|fecha|quelle)\b/

/** The columns whose titles may be about consent to be contacted by phone. An email-only column isn't. */
export function consentColumns(header: readonly string[]): ConsentColumn[] {
  return header.flatMap((title, column) => {
    const words = wordsOf(title).join(' ')
    if (otherChannel.test(words) && !phoneChannel.test(words)) return []
    // "SMS consent status" may hold yes and no, so it is a consent.
    const kind = refusing.test(words)
      ? 'refuses'
      : agreeing.test(words)
        ? 'agrees'
        : statusTitle.test(words)
          ? 'status'
          : null
    if (kind === null) return []
    // A time of refusal says no; the time or source of a consent says nothing.
    if (kind === 'agrees' && detail.test(words)) return []
    if (kind === 'refuses' && /\b(reason|source|by|ip|method|url)\b/.test(words)) return []
    return [{ column, title, kind }]
  })
}

const setOf = (text: string): ReadonlySet<string> => new Set(text.split('|'))
const neverWords = setOf(
  'never subscribed|not subscribed|non subscribed|nonsubscribed|not opted in|no consent|never|pending|unconfirmed|not confirmed|never opted in|none|no permission|nie angemeldet|nicht angemeldet|nunca suscrito|no suscrito|jamais abonne|mai iscritto|nunca inscrito|nooit ingeschreven',
)
const yesWords = setOf(
  'subscribed|opted in|opt in|optin|granted|confirmed|consented|accepted|agreed|allowed|active|explicit|given|single opt in|double opt in|angemeldet|zugestimmt|erteilt|suscrito|acepta|aceptado|abonne|accepte|iscritto|acconsentito|inscrito|aceito|ingeschreven|aangemeld|express',
)
const noWords =
  /^(unsubscribed?|unsub|opted out|opt out|optout|opted ?out .*|revoked|withdrawn|denied|declined|refused|rejected|objected|do not (call|contact|text|sms|disturb|mail).*|dnc|dnd|stop(ped)?|blocked|blacklisted|suppressed|removed|cleaned|complained|spam|cancell?ed|abgemeldet|abbestellt|widerrufen|widersprochen|abgelehnt|gesperrt|(dado de )?baja|desuscrito|cancelado|rechazado|desabonne|desinscrit|refuse|disiscritto|rifiutato|negato|revocato|descadastrado|recusado|revogado|uitgeschreven|afgemeld|geweigerd|ingetrokken)$/
const trueWords = setOf(
  'true|yes|y|1|x|t|on|ja|j|si|s|oui|o|sim|wahr|verdadero|vrai|vero|verdadeiro|waar|checked|✓|✔|☑',
)
const falseWords = setOf('false|no|n|0|f|off|nein|non|nao|nee|falsch|falso|faux|onwaar|unchecked|✗|✘|☐|-')
/** "Not granted": a word that says yes, denied. */
const denied = /^(?:not|non|no|nicht|nao|niet) (.+)$/
const dateShape = /^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}([ t,].*)?$/

/** One key for the spellings of a value: `Opted-out` and `OPTED_OUT`; dates share `(date)`, empty cells the empty text. */
export function consentKey(cell: string): string {
  const text = cell
    .replace(/\p{Cf}/gu, '')
    .trim()
    .toLowerCase()
  if (dateShape.test(text)) return '(date)'
  const words = wordsOf(text).join(' ')
  return (words === '' ? text : words).slice(0, 200)
}

/** What a value's key says in such a column. */
export function consentMeaning(kind: ConsentKind, key: string): ConsentMeaning {
  if (neverWords.has(key) && !(kind === 'refuses' && (key === 'never' || key === 'none'))) return 'never'
  if (noWords.test(key)) return 'no'
  if (yesWords.has(key)) return 'yes'
  const [, rest = ''] = denied.exec(key) ?? []
  if (yesWords.has(rest)) return 'never'
  if (noWords.test(rest)) return 'yes'
  if (kind === 'status') return 'unknown'
  if (key === '') return kind === 'refuses' ? 'yes' : 'unknown'
  if (key === '(date)' || trueWords.has(key)) return kind === 'agrees' ? 'yes' : 'no'
  if (falseWords.has(key) || key === 'never' || key === 'none') return kind === 'agrees' ? 'no' : 'yes'
  return 'unknown'
}
