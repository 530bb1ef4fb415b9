import { fold } from '../../lib/fold.ts'

/**
 * A line for each language: how words about being contacted begin; whole words that deny, end or limit; how words begin that refuse alone.
 * Add a word or a line for what is missing.
 */
const languages = `
  en; sms|mms|call|text|messag|contact|phone|ring|reach|whatsapp|market|advert|ads|promo|offer|spam|list|mailing|bother|disturb|send|receiv; no|not|none|never|dont|doesnt|didnt|wont|cant|without|stop|stops|stopped|quit|cease|remove|removed|off|avoid|only|just|nothing|refuses?|refused|declines?|declined|against; opt out|opted out|opting out|optout|unsub|dnc|do not|object|withdr|revok|gdpr|litigat|complain|hate|wants out|take (me|him|her|us|them) off|leave (me|him|her|us|them) alone|deceased|died|passed away
  de; anruf|anzuruf|telefon|ruf|meld|nachricht|kontakt|schreib|anschreib|schick|send|werb|angebot|mitteil|zustimm|einwillig|newsletter|liste|verteiler|belastig|stor|infos; nicht|nichts|nie|niemals|kein|keine|keinen|keiner|keinerlei|ohne|stopp|weg|raus|nur|ausschliesslich|mehr|entfernen|streichen|untersagt|verboten|verbietet|verweigert; widersp|widerruf|widerruft|abgemeldet|abbestell|abmeld|gesperrt|sperr|austrag|ausgetragen|dsgvo|losch|beschwer|verstorben|gestorben|ausgetreten|austritt
  es; llam|mensaj|contact|telefon|envi|mand|escrib|public|promo|oferta|lista|molest; no|nunca|jamas|sin|ni|ningun|ninguna|nada|solo|deje|dejen|parar|quitar|evitar; baja|darse de baja|opone|oposicion|revoc|desuscri|bloque|rgpd|queja|fallec
  fr; appel|rappel|messag|contact|telephon|envo|ecri|pub|promo|offre|liste|demarch|derang|solicit|sollicit; ne|n|pas|plus|jamais|aucun|aucune|sans|ni|stop|arreter|seulement|uniquement|retirer|rien; desabonn|desinscri|oppos|refus|revoqu|bloctel|plaint|decede
  it; chiam|messagg|contatt|telefon|invi|mand|scriv|pubblic|promo|offert|lista|disturb; non|mai|senza|nessun|nessuna|niente|solo|smettere|basta|togliere|rimuovere; disiscri|cancell|oppo|revoc|rifiut|reclam|lament|decedut|defunt
  pt; lig|mensage|contat|contact|telefon|envi|mand|escrev|public|promo|oferta|lista|perturb; nao|nunca|jamais|sem|nenhum|nenhuma|nada|so|apenas|parar|retirar|remover; descadastr|cancel|opos|revog|recus|lgpd|reclam|falec
  nl; bel|gebeld|bericht|contact|telefon|stuur|sturen|schrijf|reclame|aanbied|lijst|stoor|storen; niet|nooit|geen|zonder|niets|stop|stoppen|alleen|meer|verwijderen|liever; uitgeschr|uitschr|afgemeld|afmeld|bezwaar|ingetrok|geweiger|klacht|overled
  sv, no, fi; ring|meddel|kontakt|telefon|skick|skriv|reklam|erbjud|list|utskick|stor; inte|ej|aldrig|ingen|inget|inga|utan|bara|sluta|ikke|aldri|bare|ei|ala|alkaa; avregistr|avbojer|avmeld|frameld|reserver|nix|kiel
  pl; dzwon|wiadom|kontakt|telefon|wysyl|pisa|reklam|ofert|list; nie|nigdy|bez|zadn[^ ]*|tylko|prosze przestac; wypis|zrezygn|sprzeciw|cofn|odmaw
  cs; vol|zprav|poslat|posil|psat|nabid|seznam; ne|nikdy|bez|zadn[^ ]*|jen|pouze; odmit|odhlas|odvol|namit|nevolat|neposil|nezasil|nekontakt
  hu; hiv|uzenet|kuld|irj; nem|soha|csak|ne kerjen; leirat
  ru, uk; звон|пис|сообщ|контакт|телефон|рассыл|реклам|смс|присыл|слат|беспок|дзвон|повідом|розсил|надсил|турб; не|нет|никогда|без|ни|никаких|только|прекратить|хватит|убрать|удалить|ні|ніколи|тільки; отпис|отказ|отозв|против|стоп|жалоб|відпис|відмов|скарг
  tr; ara|mesaj|iletisim|telefon|gonder|reklam|liste; hayir|yok|asla|istemi[^ ]*|[^ ]+m[ae]yin|sadece; iptal|vazgec|ret|sikayet
  id; hubung|telepon|pesan|kirim|promosi; tidak|jangan|bukan|hanya; berhenti|tolak
  el; καλ|μηνυμ|επικοινων|τηλεφων|διαφημ|λιστα|sms; μη|μην|δεν|ποτε|χωρις|οχι|μονο; διαγραφ|απεγγραφ|αρνηση|ανακλ
  ar; ال?اتصال|اتصل|رسائل|ال?رسائل|رساله|مراسله|ال?هاتف|ارسال|اعلان; لا|عدم|بدون|لن|ليس|غیر|فقط|ممنوع|اوقف|ایقاف; الغاء|رفض|یرفض|ايقاف
  he; להתקשר|הודע|לשלוח|ליצור|קשר|טלפון|פרסום|דיוור|לפנות; לא|אין|בלי|אל|רק|ללא; הסר|הוסר|סירב|ביטול
  hi; कॉल|फोन|संदेश|एसएमएस|मैसेज|संपर्क; न|नहीं|नही|मत|बिना|केवल|बंद; मना|अस्वीकार`
/** The same of languages without blanks. */
const unspaced = `
  ja, zh, ko, th; 電話|电话|連絡|联系|聯繫|短信|簡訊|メール|メッセージ|配信|送|打|営業|广告|広告|전화|문자|연락|광고|โทร|ข้อความ|ติดต่อ|โฆษณา; ない|不|勿|别|別|無|无|拒|停|禁|だけ|のみ|마|않|금지|안 ?돼|ไม่|ห้าม|อย่า|งด|หยุด|เท่านั้น; 退[订訂]|拒[绝絕否]|解除|거부|해지|ปฏิเสธ|ยกเลิก`

/** The patterns of a column of these tables. */
const patterns = (table: string, column: number): string =>
  table
    .trim()
    .split('\n')
    .map((line) => fold(line.split(';')[column]!.trim()))
    .join('|')
const inAny = (column: number, end = '') =>
  new RegExp(`(?<!\\S)(?:${patterns(languages, column)})${end}|${patterns(unspaced, column)}`, 'u')
const [contact, denial, refusal] = [inAny(1), inAny(2, '(?!\\S)'), inAny(3)]

const anyDenial = new RegExp(
  `(?<!\\p{L})(?:(?:${patterns(languages, 2)})(?!\\p{L})|${patterns(languages, 3)})|${patterns(unspaced, 2)}`,
  'u',
)
/** Whether a text has a word that denies or refuses at all: faster than to read it. */
export const mayDeny = (text: string): boolean => anyDenial.test(fold(text))

/** Whether a sentence (its `consentKey`) may refuse contact: it denies or limits it, or has a word of refusal that it doesn't deny. */
export function mayRefuse(key: string): boolean {
  const at = key.search(refusal)
  return (at >= 0 && !denial.test(key.slice(0, at))) || (denial.test(key) && contact.test(key))
}
