import { fold } from '../../lib/fold.ts'
import { wordsOf } from '../../lib/title-words.ts'
import { isTitleOf } from '../run/csv-headers.ts'
import { kindColumns } from './column-titles.ts'
import { mayRefuse } from './may-refuse.ts'
import { reportColumns } from './rejected-rows.ts'

/**
 * What a column of a file says: that a person agrees, that they refuse, or either by its words. `values`: its title says nothing about
 * consent, but its values may.
 */
export type ConsentKind = 'agrees' | 'refuses' | 'status' | 'values'
/** What a value says. `never`: the person never agreed. */
export type ConsentMeaning = 'no' | 'never' | 'yes' | 'unknown'

/** A column that may say who must not be contacted. */
export interface ConsentColumn {
  column: number
  title: string
  /**
   * `labelled`: a title of each row, in the column `labels`, says what the cell holds. `file`: the file's name or title, or a heading
   * within it, may refuse for all rows. `channel`: it names messages, so a yes or no in it is about them.
   */
  kind: ConsentKind | 'labelled' | 'file' | 'channel'
  labels?: number
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
  'unsubscribed?|unsubscribes?|unsub|opt(ed)? ?outs?|n?dnc|d n c|dnd|blocked|blacklist(ed)?|suppress(ed|ions?)?|stop(ped)?|revoked|withdrawn|cease( and)? desist|cease contact',
  `do not (${contact}|phone|allow|disturb)|donot(${contact}|phone)|dont (${contact}|phone|allow)|no ${contact}|c?tps|(telephone )?preference service|robinson ?(list[ae]?|lijst)?|lista robinson|bloctel|uncontactable`,
  `spam(med|mer)?|complain(s|ed|t|ts|ed about)?|exclu(ded?|sion)|(block|deny|exclusion) ?list(ed)?|banned|never ${contact}|no (further|more) ${contact}`,
  `(does not|doesnt|do not|dont) (want|wish|receive|accept)|tcpa litigator|litigator|unsuscribed|unsubscribe ?list`,
  'exclusiones|bajas|abmeldungen|sperrungen',
  'dnt|pas de (sms|texto|message|appel|demarchage)s?|sin (sms|mensajes|llamadas)',
  'deceased|(date of )?death|exitus|verstorben|sterbedatum|todesdatum|fallecid[oa]|(fecha de )?(fallecimiento|defuncion)|decedee?|date de deces|decedut[oa]|falecid[oa]|(data (do|de) )?obito|overleden',
  'abgemeldet|abmeldung|abmeldedatum|gesperrt|sperre|sperrung|sperrkz|sperrkennzeichen|sperrvermerk|sperrdatum|widerrufsdatum|nicht (zulassen|erlauben|erlaubt)|werbesperre|kontaktsperre|sperrliste|widerruf(en)?|[^ ]*widerspruch|nicht (anrufen|kontaktieren|anschreiben|storen)|nicht (angerufen|kontaktiert|angeschrieben|gestort) werden|unerwunscht|nicht (erwunscht|gewunscht)',
  'blockiert|ausgeschlossen|abbestellt|schwarze liste|(wunscht|mochte|will|erhalt|bekommt) keine?|bloquead[oa]s?|excluid[oa]s?|vetad[oa]|lista negra|no (desea|quiere|recibe|acepta)',
  'bloquee?s?|exclu(e?s)?|liste (noire|rouge)|opposition|opposee?|refuse|ne (souhaite|veut|recoit|desire) pas|bloccat[oa]|esclus[oa]|lista nera|(registro (delle )?)?opposizion[ei]',
  'rifiuta|non (vuole|desidera|riceve|accetta)|nao (quer|deseja|recebe|aceita)|geblokkeerd|uitgesloten|zwarte lijst|(wil|wenst|ontvangt) geen|opgezegd|niet (gebeld|benaderd|gecontacteerd)( worden)?',
  'keine? (werbung|sms|anrufe?|nachrichten|kontakte?)|baja|dado de baja|desuscrito|no (llamar|contactar|molestar|enviar)',
  'desabonne|desinscrit|desinscription|ne pas (appeler|contacter|deranger|autoriser)|disiscritto|disiscrizione|(cancellat|revocat)[oa] il|non (chiamare|contattare|disturbare)',
  'descadastrado|descadastro|no permitir|nao (permitir|ligar|contatar|contactar|perturbe)|afgemeld|uitgeschreven|uitschrijfdatum|niet (toestaan|bellen|contacteren|storen)|bel me niet',
  'wypisan[ya]|nie (dzwonic|kontaktowac)|odhlas(en|it)|leiratkozott|nem hivhato|aranmasin|avregistrerad|ring inte|nekontaktovat|nevolat|neposilat|nezasilat|reservert|reserverad|frabedt|[^ ]*kielto|لغو|tu choi|berhenti berlangganan|batal berlangganan',
  'отказ(ался|алась)?|отписан(а|ы)?|отписал(ся|ась)|отписка|не (звонить|писать|беспокоить|отправлять|контактировать)|черный список',
  'стоп лист|заблокирован(а)?|відмова|відписан(ий|а|о)|не (дзвонити|писати|турбувати)|чорний список|заблоковано|да не се звъни',
  'διαγραφή|απεγγραφή|μην καλείτε|لا تتصل|عدم (الاتصال|الإزعاج)|الغاء الاشتراك|إلغاء الاشتراك|رفض|محظور|הוסר|הסרה|מוסר|חסום|לא לפנות|סירוב',
  'अवरुद्ध|संपर्क न करें|परेशान न करें',
)
/** In a longer title, something else was removed. */
const removed = exactly('refused|removed( (on|at|date|from list))?|date removed|entfernt( am)?')
const refusingParts = parts(
  '不同意|拒绝|拒絕|拒否|退订|退訂|取消订阅|取消訂閱|免打扰|勿扰|请勿|請勿|黑名单|黑名單|配信停止|オプトアウト|수신거부|거부|차단|拒收|ไม่ยินยอม|ปฏิเสธ|ห้ามโทร',
)
const agreeing = words(
  'consent(ed|s)?|opt(ed)? ?ins?|subscribed|subscriber|accepts?|permissions?|permitted|marketing|allow(ed|s)?|agreed|contactable',
  '[^ ]*(einwilligung|zustimmung)|(telefon|sms|direkt|whatsapp|mobil)werbung|(werbe|kontakt|anruf)erlaubnis|erwunscht|gewunscht',
  `(receives?|wants?|gets|takes) (${contact}|texts)|${contact} (enabled|active|allowed)|tcpa`,
  'darf (angerufen|kontaktiert|angeschrieben) werden|(mochte|will|wunscht|erhalt|bekommt) (sms|whatsapp|anrufe|nachrichten|werbung|kontakt)',
  '(recibe|recibir|quiere|desea|accepte|recoit|recevoir|souhaite|veut|riceve|ricevere|vuole|desidera|recebe|receber|quer|deseja|ontvangt|wil|wenst) (de |des |los |gli |di )?(sms|whatsapp|mensajes|messages|messaggi|mensagens|berichten|llamadas|appels|chiamate|recevoir|ricevere|recibir|receber)',
  '(puede|pode|puo) (ser|essere) (contactad[oa]|contatad[oa]|contattat[oa]|llamad[oa]|chiamat[oa]|ligad[oa])|mag (gebeld|benaderd|gecontacteerd) worden',
  `ok(ay)? (to|for) ${contact}|${contact} ok(ay)?|(can|may|can we|may we|if we|happy to) (be )?(${contact}|contacted|called|texted)`,
  'einverstandnis|erlaubt|erlaubnis|werbung|newsletter|kontaktierbar|consentimiento|acepta|autoriza|suscrito',
  'se puede (llamar|contactar)|permite|contactable|consentement|accepte|accord|abonne|joignable|(peut|peuvent) etre contactes?|consenso|iscritto|contattabile',
  'consentimento|aceita|inscrito|autorizado|toestemming|akkoord|aangemeld|toegestaan|contacteerbaar|gdpr|dsgvo|rgpd|lopd',
  'zgod[ay]|souhlas|suhlas|hozzajarulas|acord|consimtamant|pristanak|soglasje|(sms )?izni?|onayi?|samtycke|samtykke|suostumus',
  'согласи[ея]|согласен|согласна|разрешени[ея]|разрешено|подписан(а)?|подписк[аи]|можно (звонить|писать)|згода|дозвіл|підписк[аи]|съгласие',
  'godkanner|godtar|[^ ]*lupa|setuju|autorisation|iys( durumu)?|розсилк[аи]|рассылк[аи]|(text|sms|marketing|contact) opt',
  '(communication|contact|marketing|channel|notification) (preferences?|channels?)|opt ?in channels?|preferencias de (contacto|comunicacion)|preferences de (contact|communication)|kontaktpraferenzen|werbekanal(e)?',
  'συγκατάθεση|συναίνεση|αποδοχή|موافق|موافقة|الموافقة|اشتراك|مشترك|הסכמה|אישור|सहमति|अनुमति',
)
const agreeingParts = parts('đồng ý|同意|许可|許可|订阅|訂閱|オプトイン|동의|ยินยอม')
/** Titles of a consent's status. Just "Status" may be an order's. */
const agreeingStatus =
  /^((sms|text|whatsapp) )?((subscriber|marketing|subscription|opt|consent) )+(status|state)$|^(subscription|(estado|statut|stato|status) (de |da |d )?(la )?(suscripcion|abonnement|iscrizione|inscricao)|abo(nnement)? ?status)$|^(?:contact|inform)(?:ed)? (?:by|via) (?:sms|text|phone|mobile|whatsapp)$/u
/** Also of messages. */
const messageStatus = /^(sms|text|whatsapp) (status|state|estado|statut)$/u
/** Channels that are no phone. */
const otherChannel = words(
  'e ?mails?|mail|mailing|correo|courriel|fax|post|postal|push|web|почт[аыу]|имейл|邮件|郵件|メール|이메일',
)
const phoneChannel = words(
  'sms|mms|texts?|phone|calls?|mobile|whatsapp|telefon|telefono|telephone|handy|anrufen|смс|телефон|звонк(и|ов)|短信|電話|电话|문자|전화',
)
/** About a consent, without saying it. */
const detail = words(
  'timestamp|date|time|at|on|source|ip|method|region|country|by|reason|level|url|form|version|datum|fecha|quelle|дата|время|источник|日期|日時|날짜',
)
/** When someone agreed. Without another column about consent, a blank one says that they didn't. */
const agreed = words(
  'consent(ed)?|opt(ed)? ?in|[^ ]*(einwilligung|zustimmung)|consentimiento|consentement|consenso|toestemming',
)
const when = words('timestamp|date|time|at|on|datum|fecha')
const channelTitle = words('sms|texts?|texting|смс')
const channelParts = parts('sms配信|短信|簡訊|문자|メルマガ|dm可否')
/** What a message did, not whether someone wants it. */
const ofMessages = words(
  'sent|sends|received|delivered|delivery|failed|count|number|total|last|first|read|repl(y|ied)|opened|clicked|verified|verification|confirmed|status|template|id|price|cost|provider|capable|enviado|gesendet|envoye|inviato',
)
/** “Marketing manager” is not about a person’s consent; “Consent (SMS channel)” is. */
const otherNoun = words('campaign|channel|segment|id|owner|manager|budget|score')
const otherEnd = (title: string) => {
  const [last = '', before = ''] = title.split(' ').reverse()
  return otherNoun.test(last) && !phoneChannel.test(before)
}
const refusalDetail = words('source|by|ip|method|url|источник')
/** HubSpot's column of contacts that it bills for, in some of its languages. */
const billed =
  /^(?:(?:set as|is|e?sta[a-z]+) )?(?:(?:de|del|du|do|di) )?(?:marketing contacts?|(?:contacto|contact|contato|contatto) (?:de |di )?marketing)(?: status)?(?: until next update)?$/u
/** A yes to “Do you mind if we call?” may be a no. */
const asksIfMinded = words('(do|would|you) (you )?mind')
/** The result of looking someone up in a list. */
const check = words('check(ed|s)?|screen(ed|ing)?|lookup|scrub(bed)?|result')

/** A title's words; "No. calls" is a count. */
const textOf = (title: string) => wordsOf(title.replace(/\bno\.(?=\s*\p{L})/giu, 'number ')).join(' ')

function kindOf(title: string): ConsentKind | null {
  if (billed.test(title)) return null
  if (refusing.test(title) || refusingParts.test(title) || removed.test(title)) {
    // A time or reason of refusal says no.
    if (refusalDetail.test(title)) return null
    return check.test(title) ? 'status' : 'refuses'
  }
  // "SMS consent status" may hold yes and no, so it is a consent. The time or source of a consent says nothing.
  if (agreeing.test(title) || agreeingParts.test(title))
    return asksIfMinded.test(title) || detail.test(title) || otherEnd(title) ? null : 'agrees'
  if (agreeingStatus.test(title)) return 'agrees'
  return messageStatus.test(title) ? 'status' : null
}

/** Whether a title says that its column is about consent, of any channel. */
export const isConsentTitle = (title: string): boolean => kindOf(textOf(title)) !== null

/** Words among the names of channels. */
const joints = words(
  'and|or|by|via|und|oder|per|y|o|e|et|ou|letters?|also|only|too|auch|nur|por|solo|par|aussi|seulement|tambien|anche|so|tambem|ook|alleen|tylko|tez|только|тоже',
)
const isChannelWord = (word: string) => [phoneChannel, otherChannel, joints].some((one) => one.test(word))
/** A yes or no below it may be about letters or about messages: the operator decides. */
const mailingTitle = /^mailings?(?: (?:ok|allowed|erlaubt|ja nein|yes no|y n|si no))?$/u
const isOfOtherChannel = (text: string) =>
  otherChannel.test(text) && !phoneChannel.test(text) && !mailingTitle.test(text)

/** Whether a title names messages, so that a yes or no below it is about them. */
export function isChannelTitle(title: string): boolean {
  const text = textOf(title)
  if (mailingTitle.test(text)) return true
  return (channelTitle.test(text) || channelParts.test(text)) && !ofMessages.test(text) && !detail.test(text)
}

/** What a title says of consent to be contacted by phone; null if nothing. */
export function consentKind(title: string): ConsentKind | null {
  const text = textOf(title)
  return isOfOtherChannel(text) ? null : kindOf(text)
}

/**
 * The columns that may be about consent to be contacted by phone: by their titles or labels, or else by their values (see `isRefusing`). An email's
 * columns and those of a list of rejected rows are not. The name or title of the file is one more column, as it may be that of a list of
 * refusals: some programs export them as files of their own.
 */
export function consentColumns(header: readonly string[], names: readonly string[] = []): ConsentColumn[] {
  const wordCounts = header.map((title) => wordsOf(title).length)
  // "Custom Field 1 - Label" beside "Custom Field 1 - Value", not "Contact type" beside "Contact".
  const labelled = kindColumns(header).map((label, at) => (wordCounts[label] === wordCounts[at] ? label : -1))
  /** Rejected rows of an earlier import. */
  const isReport = reportColumns.every((one) => header.some((title) => isTitleOf(title, one)))
  const columns = header.flatMap((title, column): ConsentColumn[] => {
    if (isTitleOf(title, 'dnc', 'held')) return [{ column, title, kind: 'refuses' }]
    if (isOfOtherChannel(textOf(title)) || (isReport && isTitleOf(title, ...reportColumns))) return []
    const kind = consentKind(title)
    if (kind !== null) return [{ column, title, kind }]
    const labels = labelled[column]!
    if (labels >= 0) return [{ column, title, kind: 'labelled', labels }]
    if (isChannelTitle(title)) return [{ column, title, kind: 'channel' }]
    return labelled.includes(column) ? [] : [{ column, title, kind: 'values' }]
  })
  if (!columns.some(({ kind }) => kind === 'agrees' || kind === 'status'))
    for (const one of columns) {
      const text = textOf(one.title)
      if (agreed.test(text) && when.test(text)) one.kind = 'agrees'
    }
  return [...columns, { column: header.length, title: names.find(isOfRefusals) ?? '', kind: 'file' }]
}

/** Lines such as “red = no calls” and “without opt-outs”, and sentences, name no list of refusals. */
const noListName = words('without|excluding|excludes|except|ohne|sin|sans|senza|sem|zonder|без')
const listWordsMax = 8

/** Whether a file's, a sheet's or a table's name is that of a list of refusals. */
export const isOfRefusals = (name: string): boolean =>
  consentKind(name.replace(/\.\w+$/, '')) === 'refuses' &&
  !name.includes('=') &&
  !noListName.test(textOf(name)) &&
  wordsOf(name).length <= listWordsMax

const setOf = (...lists: readonly string[]): ReadonlySet<string> =>
  new Set(lists.flatMap((list) => fold(list).split('|')))
/** Never agreed, in words that are used of nothing else. */
const surelyNever = setOf(
  'never subscribed|not subscribed|non subscribed|nonsubscribed|not opted in|no consent|never opted in|no permission|not contactable',
  'nie angemeldet|nicht angemeldet|nunca suscrito|no suscrito|jamais abonne|mai iscritto|nunca inscrito|nooit ingeschreven',
  'нет согласия|не подписан|не подписана|未同意|未订阅|未訂閱|미동의',
)
const undecided = setOf(
  'pending|unconfirmed|not confirmed|awaiting confirmation|offen|ausstehend|pendiente|en attente|in sospeso|in attesa|pendente|in afwachting',
  'ожидает|ожидание|очікує|未确认|未確認|保留中|대기',
)
/** Not until now: a refusal wasn't made either. */
const notYet = setOf(
  'never|none|brak|not yet|noch nicht|noch nie|todavia no|aun no|pas encore|non ancora|ainda nao|nog niet|еще нет|ще ні|まだ|아직',
)
/** What programs and people write into a cell without a value. */
const blanks = setOf(
  '|n a|na|nan|null|nil|not set|unset|undefined|not specified|keine angabe|k a|nicht gesetzt|sin datos|sin definir|no definido|non defini|n d',
)
const yesWords = setOf(
  're subscribed|resubscribed|opted back in|bestatigt|reinscrit|reinscrite|dato|dada|dado|wyrazona|wyrazono|дано|получено|許可|许可',
  'allow|zulassen|permitir|autoriser|subscribed|opted in|opt in|optin|granted|confirmed|consented|accepted|agreed|allowed|active|explicit|given|single opt in|double opt in',
  'alta|dado de alta|dada de alta|express|in|ok|okay|permitted|contactable|angemeldet|zugestimmt|erteilt|erlaubt|suscrito|suscrita|acepta|aceptado|aceptada|autorizado|autorizada|concedido|concedida|permitido|onay|onayli|abonne|accepte|autorise',
  'liegt vor|acconsento|accetto|aceita|udzielona|godkant|verildi|onaylandi|izin verdi|udelen|udelena|megadva|разрешил|разрешила',
  'iscritto|acconsentito|inscrito|aceito|ingeschreven|aangemeld|toegestaan|zgoda|souhlas|autoriza|autorizo|acepto|подписан|подписана|согласен|согласна|разрешено',
  'ยินยอม|підписаний|згоден|згодна|موافق|מאשר|同意|已同意|已订阅|已訂閱|동의|수신동의',
)
/** Those of them that allow contact also in a column of refusals. */
const contactable = setOf(
  're subscribed|resubscribed|opted back in|reinscrit|reinscrite',
  'allow|zulassen|permitir|autoriser|subscribed|opted in|opt in|optin|single opt in|double opt in|allowed|permitted|contactable|angemeldet|erlaubt|alta|dado de alta|dada de alta',
  'in|suscrito|suscrita|permitido|abonne|autorise|iscritto|ingeschreven|aangemeld|toegestaan|подписан|подписана|підписаний|разрешено|已订阅|已訂閱',
)
/** Refusals in words that are used of nothing else, not even as names. */
const surelyNoWords = [
  'stop ?all|n?dncl?|dnd|nevolat|nekontaktovat|deceased|exitus|verstorben|fallecid[oa]|decedee?|decedut[oa]|falecid[oa]|overleden|wrong (number|person)|falsche nummer|numero (equivocado|errado|sbagliato)|mauvais numero|verkeerd nummer|uncontactable|(unsubscribed?|unsub|opted ?out|opt ?out|do not (call|contact|phone|text|sms|disturb|mail|solicit)|dont (call|contact|phone|text|sms)|abgemeldet)( .*)?',
  '(dad[oa] de baja|desuscrit[oa]|desabonnee?|desinscrite?|disiscritt[oa]|descadastrad[oa]|uitgeschreven|afgemeld|wypisan[ya])( .*)?',
  'no (sms|mms|texts?|text messages)',
  '(only|nur|solo|solamente|uniquement|soltanto|apenas|alleen|tylko|только) ((by|via|per|por|par) )?e ?mail|e ?mail (only|nur|solamente|uniquement)',
  'nicht (anrufen|kontaktieren)|keine (werbung|sms|anrufe)|no (llamar|molestar|enviar)|no contactar( .*)?|ne pas (appeler|contacter|deranger)',
  'non (chiamare|contattare|disturbare)|не (звонить|писать|беспокоить)|отписан(а)?|отписал(ся|ась)|відписан(ий|а)',
  '已?退[订訂]|拒收|配信停止|수신거부',
]
const surelyNo = exactly(
  'stop|d n c|baja( (hecha|realizada|efectuada|tramitada|procesada|confirmada|solicitada|definitiva|voluntaria))?|no (more |further )?(sms|mms|texts?|text messages|messages|marketing)( please)?',
  ...surelyNoWords,
)
const surelyNoAlone = exactly(...surelyNoWords)
const surelyNoWithin = words(...surelyNoWords)
/** Words between a negation and the hours that it is limited to. */
const limited =
  'him|her|me|them|us|any|more|further|call|phone|contact|send|texts?|sms|messages?|calls|anrufen|anrufe|nachrichten|senden|schicken|envoyer|appeler|contacter|de|des|llamar|enviar|mensajes|chiamare|inviare|messaggi|ligar|mensagens|bellen|sturen|berichten|dzwonic|wysylac|звонить|писать|присылать|смс'
const months =
  'january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|januar|februar|märz|mai|juni|juli|oktober|dezember|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|dicembre|janeiro|fevereiro|março|maio|junho|julho|setembro|outubro|novembro|dezembro|januari|februari|maart|mei|augustus'
const hour = String.raw`\d{1,2}(?: \d\d)? ?(?:[ap]m|uhr|h|uur|horas?|ore|heures?)`
/** A number that may begin a date, as in “5/2” and “1 May”, is no hour. */
const bareHour = String.raw`\d{1,2}(?! (?:\d|(?:(?:de|of) )?(?:${fold(months)})(?!\S)))`
const weekday = '(?:mon|tues|wednes|thurs|fri|satur|sun)days?'
/** “Do not call after 5pm” refuses only some hours, days or places. “From 5” may be a day, “from 9 to 5” is none. */
const atTimes = new RegExp(
  String.raw`(?<!\S)(?:do not|dont|no|nicht|keine?|ne pas|non|nao|geen|niet|nie|не) (?:(?:${limited}) ){1,4}(?:(?:from|ab|a partir de) (?:(?:the|le|las?|les|as) )?(?:${hour}|${weekday}|\d{1,2}(?: \d\d)? (?:to|till?|until|bis|a|hasta|tot) \d)|(?:after|before|between|during|at|on|in|past|nach|vor|um|zwischen|apres|avant|despues de|antes de|dopo|prima|na|voor|tussen|po|przed|после|до) (?:(?:the|le|las?|les|as|delle|das) )?(?:${hour}|${bareHour}|noon|midday|midnight|nights?|evenings?|mornings?|afternoons?|lunch(?:time)?|weekends?|weekdays?|work|school|${weekday}))(?!\S)`,
  'gu',
)
/** A text without refusals that are limited so. */
const withoutLimited = (key: string): string => key.replace(atTimes, ' ').trim()
const noWords = exactly(
  'do not allow|dont allow|disallow(ed)?|stopped|revoked|withdrawn|denied|declined|refused|rejected|objected|blocked|blacklisted|suppressed|removed|cleaned|complained|spam',
  'cancell?ed|abbestellt|widerrufen|widersprochen|abgelehnt|gesperrt|out|cancelad[oa]|rechazad[oa]|denegad[oa]|ret|refuse|rifiutato|negato|revocato|recusado',
  'bloquead[oa]|excluid[oa]|excluded|exclue?|blockiert|ausgeschlossen|bloquee?|bloccat[oa]|esclus[oa]|geblokkeerd|uitgesloten|opposee?|banned',
  'widerruf|revocation|revoca|revocacion|retrait|ritiro|revogado|geweigerd|ingetrokken|odmowa|отказ(ался|алась|ано)?|заблокирован(а)?|запрещено|відмова|отказано|отозван[аоы]?|wycofan[aeoy]|odwolan[aeoy]|停止|不許可|不许可',
  'ไม่ยินยอม|رفض|مرفوض|ملغى|محظور|הוסר|סירב|סירבה|不同意|拒绝|拒絕|拒否|已取消|거부|미수신',
)
const notDo = '(does not|doesnt|do not|dont)'
/** Refusals as people write them into notes. */
const noted = exactly(
  'stop (the )?(sms|texts?|messages?|nachrichten|mensajes)|refuse (les |des )?(sms|messages|appels)|sms (nicht er|uner)wunscht|no (texting|calling)|only contact (him |her |them )?(by|via) e ?mail|no molestar( .*)?|nie (chce|zyczy sobie) (.* )?(sms|wiadomosci|kontaktu)|nie (dzwonic|pisac|wysylac)( .*)?|aramayin|vill (inte|ej) bli (kontaktad|uppringd)',
  'never (contact|call|text|message)( .*)?|n?dnc (per|by|as) .*|(no quiere|no enviar) publicidad|geen reclame( .*)?|werbung abbestellt|nur (per|via|uber) e ?mail (kontaktieren|anschreiben)|(cliente|contacto) dad[oa] de baja|no volver a (llamar|contactar|escribir|enviar)( .*)?|(.* )?no ser contactad[oa]|ne pas rappeler|a demande (la |sa )?(desinscription|desabonnement)|ha revocato il consenso|nao (ligar|contatar)( mais)?|removid[oa] a pedido|niet (meer )?(bellen|contacteren)|nie kontaktowac sie|(просит|просил|просила) удалить (номер|контакт)|ring inte',
  '(bitte |por favor )(nicht (anrufen|kontaktieren|anschreiben)|no (llamar|contactar|molestar|enviar))',
  '(please |pls )?(remove|take) (.* )?(from|off) (.* )?list',
  '(please )?((number|contact|customer) )?(is |has )?to be removed',
  '((bitte|(er |sie )?(mochte|will|wunscht)) )?keine (sms|nachrichten|anrufe|werbung)( mehr)?( senden| schicken)?( bitte)?',
  'plus de (sms|messages?)|ne (veut|souhaite) (plus|pas) .*',
  'pas de (pub|publicites?|sms|appels?|messages?|demarchage)( svp| merci| s il vous plait)?',
  'no (llamar|contactar|molestar|enviar)( (mas|nunca|por favor))*|non (chiamare|contattare|disturbare)( (piu|mai|per favore))*',
  '(больше )?не (звонить|писать|беспокоить)( больше)?',
  '(ya )?no (quiere|desea) (.* )?(mensajes|sms|llamadas|contacto|contactad[oa])|no (mas|enviar) (mensajes|sms)',
)
/** The same, anywhere in a sentence. Faster than to read what is around them. */
const notedWithin = words(
  '(asked|asks|wants|wishes|requested|prefers) (us )?((not to be|to not be) (contacted|called|texted|messaged)|(not to|to not) (receive|get) .*)',
  '(customer|client|contact|guest|patient|member|he|she|they|has|have|was) (has |have |was )?(opted out|unsubscribed)|request(ed|s)? ((a|an|the|for|his|her|their|my|immediate|sms|text|list|number|phone|contact|data) )*(opt out|removal(?! of)|removal of (the |his |her |their |my |this )?((phone|mobile) )?(number|contact|data|name))|(?<!(not|never|isnt|wasnt|longer)( [^ ]+)? )on (the )?(do not (call|contact|text)|dnc) list',
  '(stop|quit) (texting|messaging|contacting|calling)|(like|(ask|request|want|wish|need|prefer)[^ ]*) (us |him |her |them |(his|her|their|my|this|the) (number|name|phone|contact) )*to be removed|to be removed from',
  'taken off (the|our|your|this) (.* )?list|(no longer|not) (wish|want)(es|s)? to (be (contacted|called|phoned|texted|messaged|reached|disturbed|bothered|subscribed|on (the |our |your |this )?((mailing|marketing|contact|call|calling|sms|text) )?list)|(receive|get)( ((any|more|further|our|your|the|these|such|so|too|many|promotional|marketing|sms|text|phone) )*(texts?|sms|messages?|calls?|marketing|ads|advertising|offers?|promotions?|communications?|notifications?|newsletters?|anything|them)|$))|stop (sending|getting|receiving) (.* )?(messages?|texts?|sms)|sms (almak )?istemiyor|(texted|replied) stop|n(on|ao) (essere|ser) conta(t)?tat[oa]',
  'ne plus (m |me |nous |lui |etre )?(contactee?|contacter|appelee?|appeler|envoyer|recevoir)|ne pas (m |me |nous |lui |les )?(contacter|envoyer|ecrire) (de |des |par |via )?(sms|textos?|messages?)|(pide|pidio|solicita|solicito|quiere) (la |darse de )?baja',
  'no (quiere|desea) que (me|le|la|lo|les) (llam|contact|escrib|envi|mand)[^ ]*',
  'no (more|further) (texts?|text messages|sms|messages?|calls?|contact|marketing)',
  '(?<!(?:not|never|no|nie|nicht|nunca|jamais|mai) )(complain(s|ed|ts?)?|beschwert sich|beschwerde|se quejo|quejas?|plaintes?|lamentat[oa]|reclamo|klachten?) (about|of|re|uber|wegen|gegen|por|de|sur|per|over) (the |our |too many |die |los |las |les |des )?(sms|texts?|text messages|spam|werbung|mensajes|messaggi)',
  '(wants|wishes|requests|requested|asked for) no (contact|calls?|texts?|sms|messages?)',
  '(will|mochte|wunscht) (.* )?nicht (mehr )?(angerufen|kontaktiert|angeschrieben) werden',
  '(do not|dont|stop|not to) send (me |us |him |her |them )?(any )?(more |further )?(texts?|text messages|sms|messages|marketing)',
  '(bitte|will|mochte|wunscht|wollen) (.* )?keine ((weitere )?[^ ]* )?(sms|nachrichten|anrufe|werbung)',
  'no (me|nos|le|les) (llamen|contacten|(envi|mand)(en?|es|ar) (mas|sms|mensajes?|publicidad)|escriban?)|nao (enviar|mandar) (mais )?(sms|mensage(m|ns))',
  'non (inviare|mandare) (piu )?(sms|messaggi)|(wil|willen|wenst) (geen|niet meer) (sms|berichten|reclame)|vill (inte|ej) ha (sms|reklam|meddelanden)',
  '(s est|a ete) (desabonne|desinscrit)e?|(hat|haben) sich abgemeldet|heeft zich (uitgeschreven|afgemeld)|si e (disiscritt|cancellat)[oa]|(?<!no )se (dio|ha dado) de baja|se (descadastrou|desuscribio)',
  'stuur (me |mij |ons |hem |haar )?geen (sms|berichten|reclame)|geen (sms|berichten|reclame) (meer|sturen|versturen)|no recibir (mas )?(sms|mensajes|publicidad)|non (vuole|desidera) (piu )?(ricevere|essere contattat[oa])|nao (quer|deseja) (mais )?(receber|ser contatad[oa])|nao receber (mais )?(sms|mensagens)',
  '(prosi|prosze|poprosil[a]?) (o )?nie(wysylanie| wysylac)|zrezygnowal[a]? z (sms|wiadomosci)|(просил|просила|просит) (больше )?не (писать|звонить|присылать|беспокоить)|отказал(ся|ась) от (рассыл|смс|sms|сообщ)[^ ]*|skicka (inte|inga) (fler )?(sms|meddelanden)|inga (fler )?(sms|meddelanden)|sms (gondermeyin|atmayin)|(nem ker|ne posilat|neposilat) (tobb )?sms[^ ]*',
  'nie wysylac (sms|wiadomosci)|не (присылать|отправлять|слать) (больше )?(смс|sms|сообщени[яй]|рекламу)',
)
const notedParts = parts(
  '配信停止希望|連絡不要|送らないで|不要(?:打|联系|聯繫)|勿发|勿發|勿扰|勿擾|不要再发|不要再發|보내지 ?마|연락하지 ?마',
)
/** At its end, as “They do not call back” is none. */
const notedAtEnd = new RegExp(
  `(?<!\\S)(?:(?:do not|dont) (?:call|contact|text|sms|message|disturb|phone)(?: (?:again|any ?more|ever|please|pls|me|her|him|them|us|at all|this number))*|${notDo} (?:want|wish|like|text|contact)(?: .*)? (?:texts?|sms|messages?|contact|marketing|contacted|texted)|nicht mehr (?:kontaktieren|anrufen|anschreiben))$`,
  'u',
)
/** In another column, an order may be refused. */
const notedAlone = exactly(
  'blocked|blacklisted|blockiert|gesperrt|sperre|werbesperre|bloquead[oa]|bloquee?|bloccat[oa]|geblokkeerd|заблокирован(а)?|revoked|withdrawn|objected|objection|widerrufen|widerruf|[^ ]+widerspruch|revocad[oa]|revoca(cion)?|revoque|revocat[oa]|retirad[oa]|ingetrokken|odwolan[ea]|отозвано',
  'eras(e|ure)|delet(e|ion)|loschung|loschen|loschantrag|loschanfrage|supresion|borrar|effacement|supprimer|cancellare|apagar|verwijderen|usunac|удалить|robinson( ?(list[ae]?|lijst))?|lista robinson|bloctel|c?tps|(telephone )?preference service',
  '(parents?|mother|father|mum|mom|dad|guardians?|family|eltern|mutter|vater|familie|padres?|madre|parents|mere|pere|genitori|pais|ouders) (refus(es?|ed)|objects?|objected|declined?|verweigern|verweigert|widersprechen|lehnen ab|se niegan|rechazan|refusent|rifiutano|recusam|weigeren)',
  'abmeldung|widerspruch|opposition( recue)?|refused|refusee?|rechazad[oa]|verweigert|rifiutat[oa]|recusad[oa]|geweigerd|отказ(ался|алась)?|((herr|frau) [^ ]+ )?((dem|den|von|weitere[nr]?|jeder|jeglicher|aller|seiner|ihrer|daten|[^ ]*werbung|[^ ]*kontakt|kontaktaufnahme|[^ ]*anrufen|[^ ]*nachrichten|sms|newsletter|e|mail|zusendung|[^ ]*(nutzung|verarbeitung|weitergabe|speicherung)) )*widersprochen',
)
/** Words around a refusal that leave it one: courtesy, who, when, how, by which law. None of them denies, nor is a thing that may be refused. */
const asides = setOf(
  'please|pls|plz|kindly|thanks|bitte|danke|por|favor|gracias|svp|merci|per|favore|grazie|alsjeblieft|prosze|пожалуйста',
  'customer|client|user|number|kunde|kundin|nummer|cliente|clienta|numero|klant|klient|клиент|he|she|er|sie|el|ella|il|elle|hij|zij|minor|minderjahrig',
  'is|was|has|been|be|to|now|already|sadly|hat|ist|wurde|sich|leider|jetzt|bereits|schon|ha|es|esta|fue|e|est|a|heeft|zich',
  'since|as|of|on|in|at|from|seit|am|im|ab|vom|zum|desde|en|le|depuis|dal|nel|em|sinds|op|od|с|от|by|via|phone|telefonisch|schriftlich|telefonicamente',
  months,
  'gdpr|dsgvo|ds|gvo|rgpd|lopd|uwg|art|abs|registered|listed|eingetragen|steht|auf|the|der|die|list|liste|lista|request|antrag|requested',
)
/** “Deceased 3/26” says no more than “deceased”. */
const withoutAsides = (key: string): string =>
  key
    .split(' ')
    .filter((word) => !asides.has(word) && !/^\d+$/.test(word))
    .join(' ')
/** What a list of refusals says of a number. */
const listed = exactly(
  '(is )?listed|on (the )?([^ ]+ )?(list|register)|on (dnc|dnd|c?tps)|gelistet|auf der liste|en la lista',
)
const notListed = exactly(
  'inactive|disabled|unlisted|clear|clean|ok(ay)?|pass(ed)?|nicht gelistet|(is )?not (on .*|listed|registered)',
)
const trueWords = setOf(
  'true|yes|y|1|x|t|on|ja|j|si|s|oui|o|sim|wahr|verdadero|vrai|vero|verdadeiro|waar|checked|✓|✔|✅|☑|☒|👍|+|да|так|д|ναι|نعم|כן|हाँ|是|はい|예|네|ใช่',
  'evet|tak|ano|igen|da|jo|joo|kylla|prawda|dogru|истина|sant|sand|tosi|pravda|igaz|ya|có|可|希望する|希望',
)
const falseWords = setOf(
  'false|no|n|0|f|off|nein|non|nao|nee|falsch|falso|faux|onwaar|unchecked|☐|нет|ні|не|н|όχι|لا|לא|नहीं|否|不|いいえ|아니오|아니요|ไม่',
  'ไม่ใช่|hayir|nie|ne|nem|nu|nej|nei|ei|falsz|yanlis|ложь|falskt|falsk|epatosi|nepravda|hamis|tidak|không|不可|希望しない',
)
/** "Not granted": a word that says yes, denied. */
const denied =
  /^(?:did not|has not|not|non|no|nicht|nao|niet|nie|ne|nem|nej|inte|ikke|не|ні|δεν|لا|غير|לא) (.+)$/u
/** A cross is no consent, but in a column of refusals it may be a mark. */
const crosses = setOf('✗|✘|✖|❌|👎')

const month =
  '(?:jan|ene|gen|feb|fev|fév|mar|mär|mrz|apr|abr|avr|may|mai|mag|maj|jun|jui|giu|jul|lug|aug|ago|aoû|sep|set|oct|okt|ott|out|nov|dec|dez|dic|déc|янв|фев|апр|мая|май|июн|июл|авг|сен|окт|ноя|дек)\\p{L}*\\.?'
const day = '\\d{1,2}(?:st|nd|rd|th|\\.)?'
const time = '\\d{1,2}(?:[:.]\\d{2}){1,2}(?:[.,]\\d+)?'
const zone =
  '[ap]\\.?m\\.?|z|uhr|h|utc|gmt|cet|cest|est|edt|cst|cdt|mst|mdt|pst|pdt|bst|ist|msk|[+-]\\d{2}:?\\d{2}|\\([^)]*\\)'
const dates = new RegExp(
  '(?<![\\d\\p{L}])(?:(?:am|seit|vom|since|on|from|el|desde|le|depuis|il|dal|em|sinds|op|dnia|od|dne|от|с) ){0,2}(?:' +
    [
      '\\d{1,4}[-./]\\d{1,2}[-./]\\d{1,4}',
      `${day}[ -]?(?:de |of )?${month},?[ -/]?(?:de )?\\d{2,4}`,
      `${month} ${day},? \\d{4}`,
      '\\d{4}[年.] ?\\d{1,2}[月.] ?\\d{1,2}日?',
    ].join('|') +
    `)(?:(?:t|[, ]*)${time}(?: ?(?:${zone})(?!\\p{L}))*)?(?![\\d])`,
  'gu',
)
/** Seconds and milliseconds since 1970. */
const epoch = /^1\d{9}(?:\d{3})?$/
const weekdays: ReadonlySet<string> = new Set(
  ['en', 'de', 'es', 'fr', 'it', 'pt', 'nl', 'ru'].flatMap((language) =>
    (['long', 'short'] as const).flatMap((weekday) =>
      Array.from({ length: 7 }, (_, day) =>
        wordsOf(
          new Intl.DateTimeFormat(language, { weekday, timeZone: 'UTC' }).format(day * 86_400_000),
        ).join(' '),
      ),
    ),
  ),
)

/**
 * One key for the spellings of a value: `Opted-out` and `OPTED_OUT`, `1` and `1.0`; dates share `(date)`, empty cells, dashes and a
 * database's empty date the empty text. Words beside a date are the value: "revoked 2026-01-02" is no date.
 */
export function consentKey(cell: string): string {
  const text = cell
    .replace(/[\p{Cf}\uFE0F]/gu, '')
    .trim()
    .toLowerCase()
  if (/^(?:[-–—.]*|0000-00-00.*)$/.test(text)) return ''
  if (epoch.test(text)) return '(date)'
  const joined = text.replace(/(?<=n)['`´ʼ‘’](?=t(?!\p{L}))/gu, '')
  const undated = /\d/.test(joined) ? joined.replace(dates, ' ') : joined
  const words = wordsOf(undated.replace(/^(\d)[.,]0+$/, '$1'))
  if (undated !== joined && words.every((word) => weekdays.has(word))) return '(date)'
  const folded = words.join(' ')
  return (folded === '' ? text : folded).slice(0, 200)
}

/** Whether a cell holds no value, or a program's word for none. */
export const isBlank = (cell: string): boolean => blanks.has(consentKey(cell))

const isSurelyNo = (key: string) => surelyNo.test(withoutLimited(key)) || surelyNever.has(key)

/** A tag with a value: `sms:no`, `"opt_out": true`. */
const tagPair = /([^,;|:="[\]{}\n]+)"?\s*[:=]\s*"?([^,;|:="[\]{}\n]+)/g

/** The first of a contact's tags that refuses contact by phone, such as `do-not-text`; undefined for none. */
export function refusingTag(tags: string): string | undefined {
  let refusal: string | undefined
  const others = tags.replace(tagPair, (pair, title: string, value: string) => {
    const kind = consentKind(title) ?? (isChannelTitle(title) ? 'agrees' : null)
    const means = kind === null ? 'unknown' : consentMeaning(kind, consentKey(value))
    if (means === 'no') refusal ??= `${title.trim()}: ${value.trim()}`
    return means === 'unknown' ? pair : ''
  })
  return (
    refusal ??
    partsOf(others, /[,;|:"[\]{}\n]+/).find(
      (tag) => isSurelyNo(consentKey(tag)) || consentKind(tag) === 'refuses',
    )
  )
}

const sentenceEnds = /[,;|!?\n]+|:(?!\d)|(?<!\d):|\.+(?!\d)/
/** The point of “1. Mai” ends no sentence. */
const dayPoint = new RegExp(String.raw`(?<=\d)\.(?=\s?(?:${months})(?!\p{L}))`, 'giu')

/** As the last sentence, it ends what was refused before. Just “opted in” may be older, or of another channel. */
const again = exactly(
  '(but )?(has |was )?(re ?subscribed|opted back in( again)?|(opted in|signed up|subscribed) again|wieder angemeldet|reinscrite?|dad[oa] de alta de nuevo|di nuovo iscritt[oa]|weer aangemeld)( (in )?20\\d\\d)?',
)
/** A date with or without its year. Which of the other numbers is the month is unclear, unless the year is first. */
const dateParts =
  /(?<!\d)(?:(20\d\d)(?:[-./](\d\d)(?:[-./](\d\d))?)?|\d{1,2}([-./])\d{1,2}(?:\4(?:20)?(\d\d))?)(?!\d)/g

/** Whether someone who refused came back by the end of a text: not under a label, nor with a date that may be earlier. */
function cameBack(text: string): boolean {
  const ended = text.replace(/[!?.\s]+$/, '')
  const [last = '', above = ''] = partsOf(ended, sentenceEnds).reverse()
  if (!again.test(consentKey(last))) return false
  const isLabelled = /\p{L}\s*:\s*$/u.test(ended.slice(0, -last.length))
  if (isLabelled || wordsOf(above).every(isChannelWord)) return false
  const [latest = '', ...others] = [...ended.matchAll(dateParts)]
    .map(([, year, month = '', day = '', , shortYear]) =>
      year ? `${year}${month}${day}` : shortYear ? `20${shortYear}` : '',
    )
    .reverse()
  return others.every((one) => latest.slice(0, one.length) > one.slice(0, latest.length))
}

/** Who wants texts may still refuse calls. */
const wantsTexts = words(
  '(loves?|likes?|prefers?|wants?|lieber|nur|prefiere) (sms|texts?|texting)|(sms|texts?) only',
)
const refusesCalls = words('(do not|dont|not|no|never|nicht|ne pas) (call|phone|ring|anrufen|llamar|appeler)')

/**
 * The first sentence of a text that is a refusal as a whole, also over several lines: “Called on Monday. Do not text!” `isNote`: a note, where
 * a word alone says it.
 */
export function refusalIn(text: string, isNote = true): string | undefined {
  const texts = [text, ...(text.includes('\n') ? [text.replace(/\s*\n\s*/g, ' ')] : [])]
  const withoutPoints = text.replace(dayPoint, '')
  if (withoutPoints !== text) texts.push(withoutPoints)
  const sentences = texts.flatMap((one) => partsOf(one, sentenceEnds))
  // A stop behind a dash may be that of a bus.
  const parts = sentences
    .flatMap((one) => (/[-–—()[\]]/.test(one) ? partsOf(one, /\s\p{Pd}+\s|[()[\]]/u) : []))
    .filter((part) => !/^(?:stop|baja)$/i.test(part))
  const refusal = [...sentences, ...parts].find((sentence) => {
    const key = consentKey(sentence)
    const isNo = isRefusing([key]) || (isNote && notedAlone.test(withoutAsides(key)))
    return isNo && !(refusesCalls.test(key) && wantsTexts.test(consentKey(text)))
  })
  if (refusal === undefined) return undefined
  return cameBack(text) ? undefined : refusal
}

/** What is beside the number in its own cell, as in “0664 1110009 (do not call)”, and refuses; undefined for nothing. */
export const refusalBesideNumber = (cell: string): string | undefined =>
  refusalIn(cell.replace(/[+\d][\d\s().\-/]{5,}\d/g, ' | '))

/** Before a number, “Contact no.” and “WhatsApp nº” are short for a number, and deny nothing. */
const numberTitle =
  /(?<!\p{L})(contacto?|phone|tel|tel[eé]fono|whatsapp|call|mobile|cell)\.?\s+n(?:os?|[º°])[.:]*\s*(?=[+(\d][\d\s().\-/]{5,}\d)/giu

/** The first sentence of a text that may refuse, though `refusalIn` doesn't understand it: a person must read it. */
export const unclearRefusal = (text: string): string | undefined =>
  partsOf(text.replace(numberTitle, '$1 '), sentenceEnds).find((sentence) => mayRefuse(consentKey(sentence)))

/** As most names are once folded. */
const plainName = /^[a-z ]*$/

/** What a name with a refusal in it says: “Ana (DO NOT CONTACT)”. STOP and BAJA may be names, unless set apart, as may Dnc. */
export function refusalInName(name: string): string | undefined {
  const text = fold(name.replace(/(?<!\p{L})(?:Dnc|Dnd|Ndnc)(?!\p{L})/gu, ''))
  const isPlain = plainName.test(text)
  const inWords = isPlain ? text : text.replace(/'/g, '').replace(/[^\p{L}\p{N}]+/gu, ' ')
  const said = surelyNoWithin.exec(withoutLimited(inWords))?.[0].trim()
  if (said !== undefined) return said
  return isPlain
    ? undefined
    : /[([{]\s*(stop|baja)\s*[)\]}]|\s\p{Pd}+\s*(stop|baja)\s*$/iu.exec(name)?.slice(1).find(Boolean)
}

const partsOf = (text: string, ends: RegExp): string[] =>
  text
    .split(ends)
    .map((part) => part.trim())
    .filter((part) => part !== '')

/** What a value's key says in such a column. */
export function consentMeaning(kind: ConsentKind, key: string): ConsentMeaning {
  const isRefusals = kind === 'refuses'
  if (blanks.has(key)) return isRefusals ? 'yes' : 'unknown'
  if (notYet.has(key)) return isRefusals ? 'yes' : 'never'
  if (surelyNever.has(key) || undecided.has(key)) return 'never'
  const isOfList = kind === 'refuses' || kind === 'status'
  if (isOfList && listed.test(key)) return 'no'
  if (isRefusals && key === 'registered') return 'no'
  if (isRefusals && notListed.test(key)) return 'yes'
  if (surelyNo.test(withoutLimited(key)) || noWords.test(key)) return 'no'
  // "DNC: active" and "Opt-out: confirmed" affirm the refusal.
  if (yesWords.has(key)) return isRefusals && !contactable.has(key) ? 'no' : 'yes'
  const [, rest = ''] = denied.exec(key) ?? []
  if (yesWords.has(rest)) return 'never'
  if (surelyNo.test(rest) || noWords.test(rest) || (isOfList && listed.test(rest))) return 'yes'
  if (kind === 'status' || kind === 'values') return 'unknown'
  if (key === '(date)' || trueWords.has(key)) return isRefusals ? 'no' : 'yes'
  if (crosses.has(key)) return isRefusals ? 'unknown' : 'no'
  if (falseWords.has(key)) return isRefusals ? 'yes' : 'no'
  // Those who want emails and letters didn't ask for messages. "Yes, by SMS" is no more than "SMS".
  const said = key.split(' ')
  const channels = trueWords.has(said[0]!) ? said.slice(1) : said
  if (kind === 'agrees' && channels.every(isChannelWord)) return phoneChannel.test(key) ? 'yes' : 'never'
  return 'unknown'
}

/** Whether a value's key may be a tick or a cross. */
export const isCross = (key: string): boolean => /^[xх×]$/u.test(key)

/** Whether a value's key is a word for yes or no, or about consent. */
export const isVerdict = (key: string): boolean =>
  !/^\d/.test(key) &&
  (trueWords.has(key) ||
    falseWords.has(key) ||
    crosses.has(key) ||
    consentMeaning('status', key) !== 'unknown')

const refusals = [surelyNo, noted, notedWithin, notedAtEnd, notedParts]
const isRefusal = (key: string) =>
  refusals.some((one) => one.test(key)) || surelyNoAlone.test(withoutAsides(key))

/**
 * Whether a column with an unknown title is about consent by its values' keys: at least one is a refusal in words that are used of nothing
 * else ("unsubscribed", "STOP"). So "Active: no" and an order's "cancelled" are not.
 */
export const isRefusing = (keys: readonly string[]): boolean =>
  keys.some((key) => surelyNever.has(key) || isRefusal(withoutLimited(key)))
