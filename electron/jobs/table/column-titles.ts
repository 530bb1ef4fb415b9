import { fold } from '../../lib/fold.ts'
import { wordsOf } from '../../lib/title-words.ts'

const setOf = (text: string): ReadonlySet<string> => new Set(text.split('|').map((one) => fold(one.trim())))

/*
 * Words in English, Spanish, German, French, Italian, Portuguese and Dutch, titles of exports by Google Contacts, Outlook,
 * HubSpot, Salesforce, Shopify, Mailchimp (their public documentation, 2026-11), and the usual titles in other alphabets and code pages.
 */

/** Beside a number or an email, these say something about it. */
const about = setOf(
  'type|label|display|phonetic|yomi|furigana|opt|optin|optout|consent|subscribed|unsubscribed|subscription|marketing|status|timestamp|' +
    'verified|verification|valid|extension|ext|carrier|provider|country|code|domain|bounce|bounced|permission|permissions|source|date|time|' +
    'preference|preferences|notifications|model|brand|owner|do|accepts|allowed|language|format|typ|tipo|art|landesvorwahl|vorwahl|' +
    'einwilligung|zustimmung|consentimiento|consentement|consenso|consentimento|toestemming|suppressed|confidence|hash|hashed|quality|' +
    'open|opened|click|clicked|sends|sent|recipients|name|id|address name',
)
/** Words for the people of a household. A mother is one person; there may be several children and guardians. */
const relatives = {
  mother: setOf('mother|mom|mum|mutter|mama|mamma|madre|mere|mae|moeder'),
  father: setOf('father|dad|vater|papa|padre|pere|pai|vader'),
  guardian: setOf(
    'parent|parents|guardian|eltern|vormund|erziehungsberechtigter|erziehungsberechtigte|sorgeberechtigter|sorgeberechtigte|tutor|tutora|tuteur|genitore|responsavel|ouder|voogd|owner',
  ),
  child: setOf(
    'child|kid|kind|pupil|student|schuler|schulerin|hijo|hija|alumno|alumna|enfant|eleve|figlio|figlia|filho|filha',
  ),
}
type Relative = keyof typeof relatives
/** Those who are called instead of a child or a pet. */
const parents = new Set([...relatives.mother, ...relatives.father, ...relatives.guardian])
/** Numbers that reach no phone, or another person's. */
const noPhone = new Set([
  ...parents,
  ...setOf(
    'fax|telefax|faxnummer|faxnumber|telefaxnummer|pager|telex|isdn|ttytdd|tty|tdd|assistant|assistants|asst|emergency|notfall|' +
      'spouse|manager|company main|' +
      'rep|reps|representative|sales|salesperson|salesman|agent|agents|broker|realtor|dealer|referrer|referral|referred|reference|references|recommender|' +
      'store|shop|branch|vendor|supplier|seller|merchant|support|hotline|helpline|helpdesk|reception|secretary|driver|courier|technician|teacher|coach|' +
      'doctor|physician|caregiver|husband|wife|partner|partners|sibling|brother|sister|friend|kin|relative|supervisor|boss|' +
      'advisor|adviser|consultant|lawyer|attorney|landlord|host|witness|old|previous|former|past|prior|invalid|wrong|incorrect|bad|inactive|disconnected|' +
      'obsolete|outdated|expired|archived|deleted|fake|dummy|' +
      'vendedor|vendedora|agente|representante|tienda|sucursal|referente|referido|soporte|emergencia|emergencias|conductor|repartidor|medico|' +
      'esposo|esposa|conyuge|pareja|gerente|encargado|asistente|secretaria|proveedor|distribuidor|antiguo|antigua|anterior|invalido|invalida|incorrecto|' +
      'incorrecta|erroneo|erronea|viejo|vieja|inactivo|inactiva|vertreter|vertrieb|verkauf|verkaufer|berater|betreuer|kundenbetreuer|makler|vermittler|' +
      'filiale|laden|empfehler|werber|handler|lieferant|kundendienst|kundenservice|notfallkontakt|fahrer|arzt|hausarzt|ehemann|ehefrau|' +
      'ehepartner|vorgesetzter|assistenz|sekretariat|zentrale|empfang|alte|altes|fruhere|fruheres|ehemalige|vorherige|ungultig|ungultige|' +
      'ungultiges|falsch|falsche|veraltet|veraltete|inaktiv|vendeur|vendeuse|conseiller|conseillere|courtier|magasin|boutique|agence|succursale|parrain|' +
      'fournisseur|revendeur|assistance|urgence|chauffeur|livreur|medecin|conjoint|conjointe|epoux|epouse|responsable|gestionnaire|' +
      'ancien|ancienne|precedent|invalide|errone|inactif|faux|venditore|rappresentante|negozio|punto vendita|segnalatore|fornitore|rivenditore|assistenza|' +
      'emergenza|autista|corriere|coniuge|marito|moglie|responsabile|centralino|segreteria|vecchio|precedente|errato|sbagliato|corretor|loja|filial|' +
      'indicado|indicacao|fornecedor|revendedor|suporte|motorista|entregador|conjuge|antigo|antiga|incorreto|errado|inativo|verkoper|' +
      'vertegenwoordiger|makelaar|adviseur|winkel|filiaal|vestiging|verwijzer|leverancier|klantenservice|noodgeval|noodcontact|bezorger|huisarts|' +
      'echtgenoot|echtgenote|leidinggevende|receptie|oud|oude|vorig|vorige|ongeldig|ongeldige|onjuist|foutief|verkeerd|inactief|' +
      'prevenir|urgencia|urgencias|urgenza',
  ),
])
const phoneWords = setOf(
  'phone|phones|telephone|tel|telefon|telefonnummer|telefono|telefonos|telefone|telefones|telefoon|telefoonnummer|fon|fono|mobile|mobiles|mobil|' +
    'mobiltelefon|mobilnummer|mobilfunk|mobilfunknummer|handy|handynummer|handynr|cell|cellphone|cellular|celular|celulares|movil|moviles|' +
    'portable|telephones|gsm|msisdn|whatsapp|whats app|rufnummer|mobiel|mobieltje|cellulare|cellulari|telemovel|recapito|phonenumber|mobilephone|' +
    'mobilenumber|telnr|telno|telnummer|smartphone|iphone|sms|smsphone|festnetz|contact number|tel no|' +
    'fone|fones|mob|mobno|mobnr|mobilno|mobilnr|mobitel|ph|phno|cel|telf|tlf|tlfn|tlfnr|tfno|tfn|tfnr|telef|telefonnr|telefonu|telefona|puhelin|puhelinnumero|' +
    'matkapuhelin|matkapuhelinnumero|no hp|nomor hp|handphone|telepon|telp|ponsel|sdt|dien thoai|เบอร์โทร|เบอร์โทรศัพท์|โทรศัพท์|เบอร์มือถือ|मोबाइल|फोन|телефона|' +
    'телефон|тел|мобильный|мобільний|telefonszam|komorka|cep|gsm no|τηλεφωνο|κινητο|טלפון|נייד|الهاتف|هاتف|الجوال|جوال|موبايل|電話番号|電話|携帯|携帯電話|电话|手机|手機|电话号码|手机号|手机号码|전화번호|전화|휴대폰|휴대전화',
)
/** Titles that are a number's only if no other column is. */
const weakPhone = setOf('number|numbers|nummer|numero|numeri|num|nr|no|hp|wa|recipient|to|destination')
/** These too, before columns whose titles say nothing. In some programs, "Contact No." is an ID. */
const contactNumbers = setOf(
  'contact no|contact nr|contact number|kontaktnummer|kontakt nr|numero de contacto|primary number|primary no',
)
const phoneRanks: [ReadonlySet<string>, number][] = [
  [
    setOf(
      'work|business|office|company|geschaftlich|buro|arbeit|dienst|dienstlich|firma|trabajo|oficina|empresa|travail|bureau|lavoro|ufficio|trabalho|comercial|werk|zakelijk|kantoor',
    ),
    4,
  ],
  [
    setOf(
      'other|weitere|andere|otro|autre|altro|outro|anderes|overig|alternative|alternate|secondary|car|auto|radio|callback|main',
    ),
    5,
  ],
  [
    setOf(
      'home|address|privat|private|haus|casa|particular|domicile|maison|residencial|thuis|prive|festnetz|landline',
    ),
    3,
  ],
  [setOf('primary|haupt|hauptnummer|principal|principale|hoofd'), 1],
  [
    setOf(
      'mobile|mobiles|mobil|mobiltelefon|mobilnummer|mobilfunk|mobilfunknummer|handy|handynummer|handynr|cell|cellphone|cellular|celular|celulares|movil|moviles|portable|gsm|msisdn|mobiel|mobieltje|cellulare|cellulari|telemovel|mobilephone|mobilenumber|smartphone|iphone|sms|smsphone|whatsapp|whats app|' +
        'fone|fones|mob|mobno|mobnr|mobilno|mobilnr|mobitel|cel|matkapuhelin|matkapuhelinnumero|hp|handphone|ponsel|เบอร์มือถือ|मोबाइल',
    ),
    0,
  ],
]
/** Compounds, as German has them. */
const mobileCompound =
  /^(?:mobil|handy|cell)(?:tel|telefon|fon|phone|nr|no|nummer|number)+$|(?:handy|mobiltel|mobiltelefon)(?:nr|nummer)?$/u
const phoneCompound =
  /^(?:tel|telefon|fon|phone|ruf)(?:nr|no|num|nummer|number)s?$|(?:telefon|phone|rufnummer)(?:nr|nummer)?$/u
const emailWords = setOf(
  'email|emails|e mail|e mails|mail|mails|correo|correos|courriel|courriels|posta elettronica|mailadresse|emailadresse|emailaddress|mailadres|emailadres',
)
const emailIds = setOf('email id|mail id|e mail id')
const countryWords = setOf(
  'country|countries|countrycode|ctry|cntry|land|landcode|landercode|landercodes|landerkennzeichen|landerkurzel|lkz|staat|pais|paises|pays|paese|nazione|nacao|landesvorwahl|страна|країна|kraj|' +
    'ulke|zeme|orszag|χωρα|البلد|الدولة|מדינה|国|国家|國家|국가',
)
/** Whole titles of columns with codes of countries. */
const codeTitles = setOf('cc|iso|iso 2|iso 3|iso code|lr|l r|c r')
const dialWords = setOf('dial|dialing|dialling|calling|landesvorwahl')
/** Titles of a number's calling code, without the word for a country. */
const callingTitles = setOf(
  'dial code|dialing code|dialling code|calling code|isd|isd code|phone code|landervorwahl|indicatif pays',
)
/** A calling code if it has a plus or `00`, else perhaps an area code. */
const prefixWords = setOf('prefix|prefijo|prefisso|prefixo|indicatif|indicativo|vorwahl')
const areaWords = setOf(
  'area code|areacode|de area|cod area|codigo area|adc|std|std code|ddd|onkz|ortsvorwahl|ortskennzahl|lada|netnummer|kengetal|riktnummer|kierunkowy',
)
/** Beside a country, these say that it isn't where a person is. */
const noHome = setOf(
  'birth|origin|citizenship|nationality|nat|staatsangehorigkeit|nationalitat|nacionalidad|nationalite|nazionalita|nacionalidade|nationaliteit|geburtsland|company|ip|currency',
)
/** Owners that may stand before a name: `Customer name` is the person's. */
const owners = setOf(
  'contact|customer|cust|client|saved|kunde|kunden|kontakt|subscriber|lead|person|member|user|guest|recipient|cliente|contacto|contatto|contato|klant|shipping|billing|default|address|your|profile|attendee|buyer|patient|student|employee|legal|preferred|' +
    'pupil|child|kind|hijo|hija|enfant|figlio|figlia|filho|filha|tenant|donor|volunteer|player|debtor|titular|alumno|alumna|paciente|socio|socia|schuler|patienten|mitglied|utente|invitee|and|what|s|is',
)
/** Who a row is about, as the title of their name. */
const whos = setOf(
  'patient|patients|patientin|patienten|paciente|pacientes|paziente|pazienti|patiente|patientes|member|members|mitglied|mitglieder|miembro|miembros|' +
    'membre|membres|membro|membros|lid|leden|socio|socia|socios|soci|associado|asociado|asociada|afiliado|afiliada|afiliados|adherent|abonado|abonada|' +
    'participant|participants|participante|participantes|partecipante|partecipanti|deelnemer|deelnemers|teilnehmer|teilnehmerin|teilnehmende|assistito|' +
    'clients|clientes|clienti|clienta|kunden|kundin|klanten|customers|guests|gast|gaste|huesped|huespedes|invitado|invitada|invitados|invite|invites|' +
    'students|alumnos|aluno|aluna|alunos|eleves|estudiante|estudiantes|studente|etudiant|etudiante|schulerin|leerling|pupils|' +
    'beneficiario|beneficiaria|beneficiary|asegurado|asegurada|versicherter|insured|resident|residente|bewohner|bewohnerin|mieter|mieterin|inquilino|' +
    'contacts|contactos|kontakte|persona|personas|personne|attendees|volunteers|donors|donante|bewerber|applicant|candidate|candidato|candidata|' +
    'empleado|empleada|empleados|trabajador|trabajadora|mitarbeiter|mitarbeiterin|employees|funcionario|spieler|spielerin|jugador|jugadora',
)
const firstNames = setOf(
  'etunimi|other names|fornamn|fornavn|ime|meno|nama depan|ten|first name|firstname|given name|givenname|forename|first|fname|vorname|prenom|voornaam|primer nombre|segundo nombre|nombre de pila|nome proprio|primeiro nome|imie|krestni jmeno|keresztnev|prenume|שם פרטי|الاسم الاول',
)
const lastNames = setOf(
  'sukunimi|efternamn|efternavn|etternavn|prezime|priezvisko|nama belakang|last name|lastname|surname|family name|familyname|last|lname|nachname|familienname|zuname|apellido|apellidos|primer apellido|nom de famille|cognome|cognomi|' +
    'sobrenome|apelido|ultimo nome|achternaam|familienaam|nazwisko|prijmeni|vezeteknev|soyad|soyadi|фамилия|прізвище|επωνυμο|שם משפחה|姓|성',
)
/** Which of two surnames: the father's, the first. */
const surnamePlaces = setOf(
  'paterno|materno|paterna|materna|pat|mat|primer|primero|segundo|primeiro|primo|secondo|ultimo|first|second|paternal|maternal|1|2|1er|1ero|2do|1o|2o|1a|2a|1st|2nd|o|a|er|do|s|y|e|and|de|casada',
)
/** Titles of one of two surnames without a word for them, as in Mexico. */
const shortSurnames = setOf(
  'paterno|materno|ap paterno|ap materno|ape paterno|ape materno|a paterno|a materno|ap pat|ap mat',
)
const fullNames = setOf(
  'anzeigename|name 1|nimi|koko nimi|namn|navn|ime i prezime|nama|nama lengkap|ho ten|ho va ten|ชื่อ|नाम|name|names|full name|fullname|display name|nombre|nombre completo|nombres|nombre y apellidos|nom|nom complet|nome|nome completo|naam|' +
    'volledige naam|vollstandiger name|contact|contact name|kontakt|kontaktname|kunde|kundenname|customer|customer name|client|cliente|klant|' +
    'nominativo|contacto|contatto|contato|person|recipient name|jmeno|nev|nume|adi|ad soyad|adi soyadi|имя|фио|ім я|име|ονομα|ονοματεπωνυμο|שם|שם מלא|الاسم|اسم|الاسم الكامل|' +
    '名前|氏名|お名前|姓名|名字|이름|성명',
)
/** Titles of names that are the first name beside a last name. */
const shortNames = setOf('name|nombre|nombres|nom|nome|naam|nume|jmeno|имя|ім я|ονομα|שם|الاسم|اسم|名字|이름')
/** Words of titles such as “Last name, first name”, in any language. */
const nameParts: ReadonlySet<string> = new Set(
  [firstNames, lastNames, shortNames, setOf('vor')]
    .flatMap((set) => [...set])
    .flatMap((title) => title.split(' ')),
)
const nameWords = setOf('addressee|نام|name|names|nama|imie|nazwisko|navn|namn|nimi|ชื่อ|नाम|ten')
/** In languages without blanks. */
const unspaced = /姓名|氏名|성명/u
const joints = setOf('and|y|e|und|et|en|i|та|и|va|o|or|full|initials|voorletters')
/** They have names of their own. */
const noPerson = setOf(
  'company|firma|business|organization|organisation|empresa|product|file|campaign|list|street|city|town|school|class|course|event|template|user|group|team|branch|store|plan|brand|domain|host|country|state|pet|account|project|department',
)
const tagTitles = setOf(
  'tag|tags|label|labels|schlagwort|schlagworte|schlagworter|etiqueta|etiquetas|etiquette|etiquettes|etichetta|etichette|categories|kategorien|' +
    'categorias|categorie|marcadores|group membership',
)
const noteWords = setOf(
  'note|notes|remark|remarks|notiz|notizen|bemerkung|bemerkungen|anmerkung|anmerkungen|comment|comments|kommentar|kommentare|nota|notas|observacion|' +
    'observaciones|comentario|comentarios|remarque|remarques|commentaire|commentaires|commento|commenti|observacao|observacoes|opmerking|opmerkingen|notitie|notities|' +
    'memo|hinweis|hinweise|besonderheiten|poznamka|poznamky|uwagi|notatki|megjegyzes|anteckning|anteckningar|not|notlar|aciklama|примечание|примечания|комментарий|заметки|примітки|σημειωσεις|' +
    'ملاحظات|הערות|टिप्पणी|備考|メモ|备注|備註|비고|메모|หมายเหตุ',
)

const kindWords = setOf(
  'label|type|kind|typ|art|tipo|etiqueta|etiquette|libelle|etichetta|question|frage|pregunta',
)
const valueWords = setOf('value|wert|valor|valeur|valore|waarde|response|answer|antwort|respuesta')

const extra = setOf('with|incl|including|inkl|mit|con|avec|met|com')

const has = (words: readonly string[], set: ReadonlySet<string>): boolean => {
  for (let at = 0; at < words.length; at++)
    if (set.has(words[at]!) || set.has(`${words[at]} ${words[at + 1] ?? ''}`)) return true
  return false
}

/** What a column's title says it holds. `rank`: the order of numbers, the likeliest to reach a person by text first. */
export type TitleMeaning =
  | { to: 'phone'; rank: number; isWeak: boolean }
  | { to: 'name' | 'first-name' | 'last-name' | 'email' | 'tags' | 'note' }
  | { to: 'other' }

/** The meaning of a column's title; null when the title says nothing. `other`: neither a number, nor an email, nor a name. */
export function titleMeaning(title: string): TitleMeaning | null {
  const words = wordsOf(title)
  if (words.length === 0) return null
  const whole = words.join(' ')
  if (tagTitles.has(whole)) return { to: 'tags' }
  if (contactNumbers.has(whole)) return { to: 'phone', rank: 1, isWeak: true }
  if (weakPhone.has(whole)) return { to: 'phone', rank: 2, isWeak: true }
  if (emailIds.has(whole)) return { to: 'email' }
  const bare = bareTitle(title)
  for (const text of [whole, bare]) {
    if (firstNames.has(text)) return { to: 'first-name' }
    if (lastNames.has(text) || isSurname(text)) return { to: 'last-name' }
  }
  if (whole === 'preferred contact') return { to: 'other' }
  if (fullNames.has(whole) || fullNames.has(bare) || isParts(bare)) return { to: 'name' }
  if (noteWords.has(words[0]!) || noteWords.has(words.at(-1)!)) return { to: 'note' }
  const isEmail = has(words, emailWords)
  const isPhone =
    has(words, phoneWords) || words.some((word) => mobileCompound.test(word) || phoneCompound.test(word))
  if (!isEmail && !isPhone) return has(words, noPhone) || has(words, about) ? { to: 'other' } : null
  // "Mobile (with country code)" is a number.
  const extras = words.findIndex((word) => extra.has(word))
  const own = extras > 0 ? words.slice(0, extras) : words
  if (has(words, noPhone) || has(own, about)) return { to: 'other' }
  if (isEmail) return { to: 'email' }
  return { to: 'phone', rank: rankOf(words), isWeak: false }
}

/** One word that ranks last wins: "Work mobile" is a mobile. */
const rankOf = (words: readonly string[]): number =>
  phoneRanks.findLast(([set]) => has(words, set))?.[1] ??
  (words.some((word) => mobileCompound.test(word)) ? 0 : 2)

/** Whether a title says only which number it is, such as `Home`. Its values show whether they are numbers. */
export function isKindOfNumber(title: string): boolean {
  const words = wordsOf(title).filter((word) => !/^\d$/.test(word))
  return words.length > 0 && words.every((word) => phoneRanks.some(([set]) => set.has(word)))
}

/** The rank of a number whose kind a cell gives, such as `* Mobile`; null for a fax and others that reach no phone. */
export function kindRank(label: string): number | null {
  const words = wordsOf(label)
  return has(words, noPhone) ? null : rankOf(words)
}

/** For each column, the one with the kind of its numbers, such as `Phone 1 - Label` beside `Phone 1 - Value`; -1 without one. */
export function kindColumns(header: readonly string[]): number[] {
  const titles = header.map(wordsOf)
  const without = (words: readonly string[], set: ReadonlySet<string>) =>
    words.filter((word) => !set.has(word)).join(' ')
  const kinds = titles.map((words) => (has(words, kindWords) ? without(words, kindWords) : null))
  return titles.map((words, at) =>
    kinds[at] === null && words.length > 0 ? kinds.indexOf(without(words, valueWords)) : -1,
  )
}

/**
 * Whether a title says that its column names a country; 3 if that of a number, 1 if only codes of two or three letters prove it, 4 if only
 * calling codes with a plus do.
 */
export function countryTitle(title: string): 0 | 1 | 2 | 3 | 4 {
  const words = wordsOf(title)
  if (has(words, callingTitles)) return 3
  if (codeTitles.has(words.join(' '))) return 1
  if (!has(words, countryWords)) return has(words, prefixWords) ? 4 : 0
  if (has(words, noHome) || has(words, emailWords)) return 0
  return has(words, phoneWords) || has(words, dialWords) ? 3 : 2
}

/** Whether a title says that its column holds the area codes of numbers. */
export const isAreaTitle = (title: string): boolean =>
  has(wordsOf(title), areaWords) || has(wordsOf(title), prefixWords)

/** Whom of a household a title's words mean: a pupil's mother is a mother. */
export const relativeIn = (words: readonly string[]): Relative | undefined =>
  (Object.keys(relatives) as Relative[]).find((relative) =>
    words.some((word) => relatives[relative].has(word)),
  )

/** Whether a title is about the number of a child's parent. */
export function isParentsPhone(title: string): boolean {
  const words = wordsOf(title)
  const others = words.filter((word) => !parents.has(word))
  return others.length < words.length && titleMeaning(others.join(' '))?.to === 'phone'
}

/** Whether a title only says who a row is about, such as `Patient`. */
export function isWho(title: string): boolean {
  const [word = '', ...others] = wordsOf(title)
  return others.length === 0 && [whos, owners, parents].some((set) => set.has(word))
}

/** Whether a title may be of a column with names: it has a word for a name, or says who. */
export function mayBeNames(title: string): boolean {
  const words = wordsOf(title)
  return (
    isWho(title) ||
    unspaced.test(title) ||
    (!has(words, noPerson) && (has(words, shortNames) || has(words, nameWords)))
  )
}

/** Whether a title is about one of two surnames, or both: `Second surname`. */
function isSurname(title: string): boolean {
  const rest = title.split(' ').filter((word) => !surnamePlaces.has(word))
  // “Last, first” is a whole name.
  return shortSurnames.has(title) || (rest.join(' ') !== 'last' && lastNames.has(rest.join(' ')))
}

function isParts(title: string): boolean {
  const words = title.split(' ').filter((word) => !joints.has(word))
  return words.length > 1 && words.every((word) => nameParts.has(word))
}

/** Whether a title says that the last name comes before the first: “Last name, first name”. */
export function isLastNameFirst(title: string): boolean {
  const words = bareTitle(title)
    .split(' ')
    .filter((word) => !joints.has(word))
  return words.some((_, at) => {
    const [before, behind] = [words.slice(0, at).join(' '), words.slice(at).join(' ')]
    return (
      (lastNames.has(before) && (firstNames.has(behind) || shortNames.has(behind))) ||
      (shortNames.has(before) && firstNames.has(behind))
    )
  })
}

/** Whether a name's title means the first name if another column has the last name. */
export const isShortName = (title: string): boolean => shortNames.has(bareTitle(title))

/** Whether a title is of a second first name. The one before it may be titled only “Name”. */
export const isSecondName = (title: string): boolean => bareTitle(title) === 'segundo nombre'

/** Whether a title tells which of two last names it is of. */
export const isOneSurname = (title: string): boolean =>
  bareTitle(title)
    .split(' ')
    .some((word) => surnamePlaces.has(word))

/** A title without its owner, and without what is in brackets behind it unless that is another person: `First name (Billing)`. */
export function bareTitle(title: string): string {
  const [, own = title, beside = ''] = /^(.+?)\s*[([]([^()[\]]*)[)\]]\s*$/.exec(title) ?? []
  const words = wordsOf(has(wordsOf(beside), noPhone) ? title : own)
  let from = 0
  while (from < words.length - 1 && owners.has(words[from]!)) from++
  return words.slice(from).join(' ')
}
