import { lookedAt, shownOf } from './disguises.ts'
import { collapseBlanks, createOptOutTest, plain } from './opt-out-keywords.ts'
import { aloneRequests, deaths, people, removalRequests } from './removal-requests.ts'

/** What an inbound text is to the sender: `keyword` means an opt-out, `possible` may mean one. */
export type OptOutSign = 'keyword' | 'possible'

/** Forms that ask for an end but are no keywords, because an operator's own list need not have them. */
const furtherKeywords = `
   unsub, dont want to receive, do not want to receive, dont want these, do not want these, abmeldung, désinscription, ne plus menvoyer,
   ya no quiero, non voglio ricevere, no molestar, lose this number, opt me out, opted out, take me off, leave me alone, do not text, dont text, do not contact, dont contact,
   do not message, dont message, do not call, dont call, do not send, dont send, delete my number, lose my number, delete me,
   nicht mehr schreiben, nicht mehr anschreiben, nicht mehr kontaktieren, hört auf, no quiero recibir, no me mande, no me manden,
   no me envíe, no me envíen, no me escriba, ne menvoyez plus, ne mécrivez plus, non voglio più, non mandatemi, não quero receber,
   aufhören, hör auf, hören sie auf, stoppt, keine nachrichten mehr, keine sms mehr, lösch mich, arrêtez, arrête, désabonnez,
   désinscrivez, désabonne moi, plus de messages, plus de sms, paren, para ya, deja de, dejen de, no me escriban, no más mensajes,
   denme de baja, bórrenme, não me envie, parem, smettila, smettetela, smetti di, non scrivetemi, hou op, schrijf me uit, stoppa,
   przestań, przestańcie, хватит, перестаньте, отпишите, удалите меня, aramayın, göndermeyin, 別再, 别再, 不要再, 請勿, 请勿, 送らないで, 그만,
   not interested, no interest, kein interesse, kein bedarf, nicht interessiert, no me interesa, no estoy interesado,
   no estoy interesada, pas intéressé, pas intéressée, mintéresse pas, non mi interessa, non sono interessato,
   non sono interessata, não tenho interesse, sem interesse, não me interessa, geen interesse, niet geïnteresseerd,
   inte intresserad, ikke interesseret, ikke interessert, ei kiinnosta, nie jestem zainteresowany, nie jestem zainteresowana,
   nemám zájem, nemám záujem, nem érdekel, nem kérek, nu mă interesează, ne zanima me, не интересно, неинтересно, не интересует,
   не цікавить, δεν ενδιαφέρομαι, ilgilenmiyorum, istemiyorum, غير مهتم, לא מעוניין, לא מעוניינת, tidak tertarik, không quan tâm,
   ไม่สนใจ, ไม่เอา, 没兴趣, 沒興趣, 不感兴趣, 不感興趣, 不需要, いりません, いらない, 興味ありません, 興味ない, 관심 없, 필요 없,
   keine werbung, will keine werbung, keine weiteren nachrichten, keine weiteren sms, keine weitere werbung, keine mails mehr,
   keine anrufe mehr, nichts mehr schicken, nichts mehr senden, no quiero más, no quiero publicidad, no más publicidad,
   no más sms, no envíen más, plus de pub, pas de pub, niente pubblicità, chega de, não quero mais, geen reclame,
   geen berichten meer, ingen reklam, ingen reklame, не присылайте, не пишите, не звоните, не беспокоить, не пишіть, nie pisz,
   nie piszcie, nepište, mesaj atmayın, rahatsız etmeyin, やめて,
   fuck off, f ck off, fuck you, piss off, bugger off, go away, get lost, go to hell, verpiss dich, verpisst euch,
   lass mich in ruhe, lasst mich in ruhe, lassen sie mich in ruhe, hau ab, déjame en paz, déjenme en paz, vete a la mierda,
   váyanse a la mierda, no moleste, no molesten, laissez moi tranquille, laisse moi tranquille, foutez moi la paix,
   va te faire foutre, vaffanculo, lasciami in pace, lasciatemi in pace, me deixa em paz, me deixem em paz, vai se foder,
   laat me met rust, laat mij met rust, rot op, spierdalaj, spierdalajcie, dajcie mi spokój, отвали, отвалите, отстань, отстаньте,
   siktir git,
   delete, löschen, borrar, supprimer, effacer, cancellare, apagar, verwijderen, usunąć, удалить, silin,
   alto, dur, zastav, koniec, peatu, tigil, itigil, hinto, ਬੰਦ, ਬੰਦ ਕਰੋ, நிறுத்து, நிறுத்தவும், বন্ধ, বন্ধ করুন, ఆపు, ఆపండి, ನಿಲ್ಲಿಸಿ, നിർത്തുക,
   બંધ કરો, રોકો, थांबवा, 해지, 중단, 拒收, 拒否, מספיק,
   durdur, durdurun, listeden çıkar, listeden çıkarın, çıkış, rezygnacja, wypisać, nie wysyłaj, nie wysyłajcie, nie pisać,
   nu mai vreau, nu mai trimite, nu mai trimiteți, opriți, dezabonează, dezabonați, قف, لا ترسل لي, لا ترسلوا لي, בטל, הסירו,
   μην μου στέλνετε, μη μου στέλνετε, σταματήστε, me tira, me tirem, me remova, me removam, não me mande, não me mandem,
   cancelar inscrição, meld mij af, meld me af, geen sms meer, sluta skicka, frameld, rifiuto, arrett,
   dừng, đừng nhắn, đừng gửi, tc qc, jangan kirim, jangan hubungi, hentikan, sitisha, komesha, ondoa, jiondoe,
   لا أريد رسائل, لا أريد هذه الرسائل, हटाओ, हटा दो, मत भेजो, मत भेजिए,
   msinitumie, usinitumie, acha kunitumia, acheni kunitumia,
   wrong number, wrong person, número equivocado, número errado, mauvais numéro, faux numéro, falsche nummer, numero sbagliato, verkeerd nummer`
  .split(',')
  .map((phrase) => phrase.trim())

/** Slips of “stop”. A slip of a slip is another word, such as the name Soto. */
const stopSlips = [...words('srop syop sgop dtop stip stpp stoo stol sto stoop sstop sttop stopt')]
/** Other words that differ from a keyword like a slip. */
const noSlips = words('sari asir anmelden ummelden auftragen')

/** A no with thanks means an end only as a whole text: “No thanks, I’m fine on Monday” is an answer. */
const noes = words(
  'no nope nein nee nej nei ei nie ne nem nu não nao non нет ні όχι hayır لا לא नहीं tidak không ไม่',
)
const thanks = words(
  `thanks thank thx ty danke dank gracias merci grazie obrigado obrigada bedankt tack tak takk kiitos dziękuję dzięki
   děkuji ďakujem köszönöm mulțumesc hvala спасибо дякую ευχαριστώ teşekkürler شكرا תודה धन्यवाद terima kasih cảm ơn`,
)
/** Words between them. */
const withThanks = words('but you so very much many schön vielen je wel muchas beaucoup mille molto muito')

/** Letters that Chinese (“回T退订”) and Vietnamese messages (“TC”) ask for. Others use them too. */
const replyLetters = words('r t tc')

/** Signs that refuse, when a text has no other words than courtesy. */
const refusingSigns = /[🛑⛔🚫👎🖕🙅❌✋🤚📵🔕🤬]/u

/** A digit or sign written for a letter, as in `st0p` and `$top`. */
const disguised = /(?<!\d)[013457$@](?=\p{L})/gu
const letterOf: Record<string, string> = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't', $: 's', '@': 'a' }

/** Keywords that are everyday words too, and what makes “stop” one. */
const everyday = words(
  'delete löschen borrar supprimer effacer cancellare apagar verwijderen usunąć удалить silin end cancel quit remove revoke td pare parar parem basta detener cancelar batal henti annulla hủy отмена отказ alto dur koniec hinto বন্ধ ਬੰਦ מספיק çıkış قف בטל dừng rifiuto stol sto stoop stopt',
)
const notAsking = [
  'stop by',
  'stop in',
  'stop at',
  'stop over',
  'bus stop',
  'next stop',
  'full stop',
  'pit stop',
  'do you stop',
  'the end',
  'har ret',
  'planta baja',
  'baja california',
  'baja médica',
  'baja laboral',
  'baja del médico',
  'baja la presión',
  'baja la tensión',
  'baja la fiebre',
  'baja de peso',
  'presión baja',
  'tensión baja',
  'azúcar baja',
  'muy baja',
  'está baja',
  'sigue baja',
  'temporada baja',
  'batería baja',
  'voz baja',
  'al salir',
  'voy a salir',
  'dead tired',
  'mort de',
  'morte de',
  'muerto de',
  'muerta de',
  'estoy de baja',
  'arrêt de bus',
  'arrêt maladie',
]

/** Words around a keyword that leave its meaning alone. */
const courtesy = words(
  `please pls plz kindly thanks thank you thx ty ok okay hi hello hey yo now just it me us my this these that all already
   immediately i want to would like can could you need bro sir guys the ur your and again
   usted ustedes je ik jag jeg eu io
   bitte danke jetzt sofort das mich hallo ich möchte von euch ihnen dir
   por favor gracias ya hola merci svp stp s'il vous plaît te plait bonjour obrigado obrigada grazie per favore subito alsjeblieft dank u graag tack snälla tak proszę dziękuję
   пожалуйста спасибо lütfen teşekkürler من فضلك شكرا कृपया`,
)

/** Words about messages and lists. */
const aboutMessages = words(
  `text texts texting txt txts message messages messaging msg msgs sms mms send sending sent contact contacting call calling
   calls spam spamming bother bothering harassing notifications notification alerts ads marketing promotions promo
   list lists subscription subscribe number phone mailing newsletter data database datos base daten verteiler données dados dati gegevens dane numer lijst lista
   nachricht nachrichten schicken senden schreiben liste nummer mensaje mensajes enviar enviarme lista número suscripción
   werbung reklame mails anrufe publicidad propaganda pub pubblicità publicidade reclame reklam реклама рекламу
   iscrizione inscrição abonelik subskrypcję подписку đăng ký
   envoyer liste numéro abonnement mensagem mensagens messaggi messaggio numero berichten сообщения рассылка рассылку mesaj`,
)

/** Words that deny what follows, up to this many words later. “No stop” may be either, so it is asked. */
const denials = words(
  `dont not never cant cannot wont nicht nie niemals no non ne nunca jamás jamais não nao не ni nie لا אל मत`,
)
const deniesUpTo = 3

/** Scripts written without blanks between words, and what denies in them. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u
const unspacedMax = 16
const unspacedDenial = /(不要?|别|別|勿|อย่า|ไม่)$/u

/** Longest text examined, in characters: ten SMS. Of a longer one, so many at its start and its end. */
const longestText = 1_530
/** Letters of a keyword that may be written with gaps. */
const fewestWithGaps = 4

function words(text: string): Set<string> {
  return new Set(wordsOf(text))
}

const phrasesOf = (texts: readonly string[]) => texts.map(wordsOf).filter((phrase) => phrase.length > 0)
const singlesOf = (phrases: readonly string[][]) =>
  phrases.flatMap((phrase) => (phrase.length === 1 ? phrase : []))

/** Without digits. Apostrophes join; so do points and blanks between single letters ("S.T.O.P please"). */
function wordsOf(text: string): string[] {
  const joined = text
    .replace(/['’ʼ`´]/gu, '')
    .replace(/(?<=(?<!\p{L})\p{L})[.\-_*·]+(?=\p{L}(?!\p{L}))/gu, '')
  return plain(joined)
    .replace(/\d+/g, ' ')
    .replace(/(?<!\p{L})\p{L}(?: +\p{L}){2,}(?!\p{L})/gu, (single) => single.replaceAll(' ', ''))
    .split(' ')
    .filter(Boolean)
}

const removals = phrasesOf([...removalRequests, ...aloneRequests, ...deaths])
const onlyAlone = new Set([
  ...everyday,
  ...phrasesOf([...aloneRequests, ...deaths]).map((phrase) => phrase.join(' ')),
])
const deathWords = words(deaths.join(' '))
const peopleWords = words(people.join(' '))

/** A reaction such as `Liked “Reply STOP”` repeats a text of ours. What is quoted counts only if it is a keyword. */
const withoutQuotes = (text: string, isKeyword: (text: string) => boolean) =>
  text.replace(/["“”„«»「『](.+?)(["“”„«»」』]|$)/gsu, (all: string, quoted: string) =>
    isKeyword(quoted) ? all : '\n',
  )

const sentences = (text: string) =>
  text
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('>'))
    .flatMap((line) => line.split(/[.!?;,:…。！？；，、]+(?:\s|$|(?<=[。！？；，、]))|\s[-–—]+\s/u))

/** Whether `slip` is `word` with one slip of a finger: two letters swapped, or in long words one missing, added or other. */
function isSlip(slip: string, word: string): boolean {
  let start = 0
  while (start < slip.length && slip[start] === word[start]) start++
  const [a, b] = [slip.slice(start), word.slice(start)]
  if (a.length === b.length && a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2)) return true
  const isLong = word.length >= 8
  return isLong && (a.slice(1) === b || a === b.slice(1) || a.slice(1) === b.slice(1))
}

/**
 * Tests whether a text that is no keyword may be an opt-out. One of its sentences must be nothing but a keyword and courtesy, begin or
 * end with a keyword, or hold one beside a word about messages. Everyday words such as "cancel" may not just begin or end it. So with
 * requests for removal, replies that the number is another person's, and “she died”. A denied
 * keyword ("don't stop") and a quoted sentence are none. So may a text that is nothing but a no with thanks, or a sign such as 👎.
 */
export function createPossibleOptOutTest(keywords: readonly string[]): (text: string) => boolean {
  const isKeyword = createOptOutTest(keywords)
  const common = phrasesOf([...keywords, ...furtherKeywords])
  const phrases = [...common, ...phrasesOf([...stopSlips]), ...removals]
  const byFirst = Map.groupBy(phrases, ([first]) => first!)
  const isSingle = new Set(singlesOf(phrases))
  const own = new Set(keywords.map((keyword) => wordsOf(keyword).join(' ')))
  // A slip of a short word may be a name, so only an operator's own words count.
  const slippable = singlesOf(common).filter((single) => single.length > (own.has(single) ? 3 : 5))
  const joined = phrases.map((phrase) => phrase.join(''))
  const glued = joined.filter((phrase) => phrase.length > 1 && unspaced.test(phrase))
  const withGaps = new Set(joined.filter((phrase) => phrase.length >= fewestWithGaps))
  const isLookAlike = createOptOutTest(keywords.map(lookedAt))
  const exceptions = notAsking.map(wordsOf)

  /** Undoes slips, and letters held down too long. */
  function mended(word: string): string {
    const isWord = [courtesy, aboutMessages, noSlips].some((known) => known.has(word))
    if (byFirst.has(word) || isWord || word.length < 4) return word
    const short = word.replace(/(\p{L})\1{2,}/gu, '$1')
    return isSingle.has(short) ? short : (slippable.find((single) => isSlip(word, single)) ?? word)
  }

  const startsAt = (all: readonly string[], at: number, phrase: readonly string[]) =>
    phrase.every((word, index) => all[at + index] === word)

  function isDenied(all: readonly string[], at: number): boolean {
    return all.slice(Math.max(0, at - deniesUpTo), at).some((word, index, before) => {
      const next = before[index + 1]
      return (
        denials.has(word) && next !== 'you' && !(word === 'no' && next === undefined && all[at] === 'stop')
      )
    })
  }

  function asks(sentence: string): boolean {
    if (unspaced.test(sentence)) {
      const text = wordsOf(sentence).join('')
      return glued.some((phrase) => {
        const at = text.indexOf(phrase)
        return (
          at >= 0 && text.normalize('NFC').length <= unspacedMax && !unspacedDenial.test(text.slice(0, at))
        )
      })
    }
    const all = wordsOf(sentence).map(mended)
    const isEdge = (word: string) => courtesy.has(word)
    const first = all.findIndex((word) => !isEdge(word))
    const last = all.findLastIndex((word) => !isEdge(word))
    const isOther = all.map((_, at) =>
      exceptions.some((phrase) => phrase.some((_word, back) => startsAt(all, at - back, phrase))),
    )
    return all.some((word, at) =>
      (byFirst.get(word) ?? []).some((phrase) => {
        if (!startsAt(all, at, phrase) || isDenied(all, at)) return false
        if (phrase.some((_, index) => isOther[at + index])) return false
        const rest = [...all.slice(0, at), ...all.slice(at + phrase.length)]
        const isAlone = rest.every((other) => isEdge(other) || isSingle.has(other))
        // A phone may have died, too.
        const beside = deathWords.has(word) ? peopleWords : aboutMessages
        if (isAlone || rest.some((other) => beside.has(other))) return true
        const isAtEdge = at <= first || at + phrase.length > last
        return isAtEdge && !onlyAlone.has(phrase.join(' '))
      }),
    )
  }

  /** Whether a whole text is a refusal without a keyword. */
  function refuses(text: string): boolean {
    const all = wordsOf(text)
    if (all.length === 1 && replyLetters.has(all[0]!)) return true
    if (refusingSigns.test(text)) return all.every((word) => courtesy.has(word))
    return (
      all.some((word) => noes.has(word)) &&
      all.some((word) => thanks.has(word)) &&
      all.every((word) => [noes, thanks, withThanks, courtesy].some((known) => known.has(word)))
    )
  }

  /** Whether all words, or those without courtesy, are one keyword with gaps in it. */
  function isWithGaps(text: string): boolean {
    const all = wordsOf(text)
    return [all, all.filter((word) => !courtesy.has(word))].some(
      (some) => some.length > 1 && withGaps.has(some.join('')),
    )
  }

  const isPossible = (text: string): boolean =>
    refuses(text) ||
    isWithGaps(text) ||
    sentences(withoutQuotes(text, isKeyword)).some(
      (sentence) => asks(sentence) || asks(sentence.replace(disguised, (sign) => letterOf[sign] ?? sign)),
    )

  return (text) =>
    !isKeyword(text) &&
    piecesOf(text)
      .flatMap(shownOf)
      .some((shown) => {
        // A denial such as “не” stays one.
        const latin = shown.replace(/\S+/g, (word) => (denials.has(plain(word)) ? word : lookedAt(word)))
        return (
          isKeyword(shown) ||
          isLookAlike(lookedAt(shown)) ||
          isPossible(shown) ||
          (latin !== shown && isPossible(latin))
        )
      })
}

/** Reads inbound texts with these keywords; null for a text that is no opt-out. */
export function createOptOutReader(keywords: readonly string[]): (text: string) => OptOutSign | null {
  const isKeyword = createOptOutTest(keywords)
  const isPossible = createPossibleOptOutTest(keywords)
  return (text) => (isKeyword(text) ? 'keyword' : isPossible(text) ? 'possible' : null)
}

/** The text, or the start and the end of a long one, at whole words. */
function piecesOf(text: string): string[] {
  const short = collapseBlanks(text)
  if (short.length <= longestText) return [short]
  return [
    short.slice(0, longestText).replace(/[\p{L}\p{N}]+$/u, ''),
    short.slice(-longestText).replace(/^[\p{L}\p{N}]+/u, ''),
  ]
}
