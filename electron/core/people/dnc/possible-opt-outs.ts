import { createOptOutTest, plain } from './opt-out-keywords.ts'

/** Forms that ask for an end but are no keywords, because an operator's own list need not have them. */
const furtherKeywords = [
  ...['unsub', 'opt me out', 'opted out', 'take me off', 'leave me alone'],
  ...['do not text', 'dont text', 'do not contact', 'dont contact', 'do not message', 'dont message'],
  ...['do not call', 'dont call', 'do not send', 'dont send', 'delete my number', 'lose my number'],
  'delete me',
  ...['nicht mehr schreiben', 'nicht mehr anschreiben', 'nicht mehr kontaktieren', 'hört auf'],
  ...['no quiero recibir', 'no me mande', 'no me manden', 'no me envíe', 'no me envíen', 'no me escriba'],
  ...['ne menvoyez plus', 'ne mécrivez plus', 'non voglio più', 'non mandatemi', 'não quero receber'],
  ...[
    'aufhören',
    'hör auf',
    'hören sie auf',
    'stoppt',
    'keine nachrichten mehr',
    'keine sms mehr',
    'lösch mich',
  ],
  ...['arrêtez', 'arrête', 'désabonnez', 'désinscrivez', 'désabonne moi', 'plus de messages', 'plus de sms'],
  ...['paren', 'para ya', 'deja de', 'dejen de', 'no me escriban', 'no más mensajes', 'denme de baja'],
  ...['bórrenme', 'não me envie', 'parem', 'smettila', 'smettetela', 'smetti di', 'non scrivetemi'],
  ...['hou op', 'schrijf me uit', 'stoppa', 'przestań', 'przestańcie', 'хватит', 'перестаньте', 'отпишите'],
  ...[
    'удалите меня',
    'aramayın',
    'göndermeyin',
    '別再',
    '别再',
    '不要再',
    '請勿',
    '请勿',
    '送らないで',
    '그만',
  ],
]

/** Keywords that are everyday words too, and what makes “stop” one. */
const everyday = words(
  'end cancel quit remove revoke ret td pare parar parem basta detener cancelar batal henti annulla hủy отмена отказ',
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
]

/** Words around a keyword that leave its meaning alone. */
const courtesy = words(
  `please pls plz kindly thanks thank you thx ty ok okay hi hello hey yo now just it me us my this these that all already
   immediately i want to would like can could you need bro sir guys the ur your and again
   bitte danke jetzt sofort das mich hallo por favor gracias ya hola merci svp stp s'il vous plaît te plait bonjour
   obrigado obrigada grazie per favore subito alsjeblieft dank u graag tack snälla tak proszę dziękuję
   пожалуйста спасибо lütfen teşekkürler من فضلك شكرا कृपया`,
)

/** Words about messages and lists. */
const aboutMessages = words(
  `text texts texting txt txts message messages messaging msg msgs sms mms send sending sent contact contacting call calling
   calls spam spamming bother bothering harassing notifications notification alerts ads marketing promotions promo
   list lists subscription subscribe number phone mailing newsletter
   nachricht nachrichten schicken senden schreiben liste nummer mensaje mensajes enviar enviarme lista número suscripción
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

/** Longest text examined, in characters: ten SMS. */
const longestText = 1_530

function words(text: string): Set<string> {
  return new Set(wordsOf(text))
}

/** Without digits. Apostrophes join; so do points between single letters ("S.T.O.P please"). */
function wordsOf(text: string): string[] {
  const joined = text
    .replace(/['’ʼ`´]/gu, '')
    .replace(/(?<=(?<!\p{L})\p{L})[.\-_*·]+(?=\p{L}(?!\p{L}))/gu, '')
  return plain(joined).replace(/\d+/g, ' ').split(' ').filter(Boolean)
}

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
 * end with a keyword, or hold one beside a word about messages. Everyday words such as "cancel" may not just begin or end it. A denied
 * keyword ("don't stop") and a quoted sentence are none.
 */
export function createPossibleOptOutTest(keywords: readonly string[]): (text: string) => boolean {
  const isKeyword = createOptOutTest(keywords)
  const phrases = [...keywords, ...furtherKeywords].map(wordsOf).filter((phrase) => phrase.length > 0)
  const byFirst = Map.groupBy(phrases, ([first]) => first!)
  const singles = phrases.flatMap((phrase) => (phrase.length === 1 && phrase[0]!.length > 3 ? phrase : []))
  const glued = phrases.map((phrase) => phrase.join('')).filter((phrase) => unspaced.test(phrase))
  const exceptions = notAsking.map(wordsOf)

  /** Undoes slips, and letters held down too long. */
  function mended(word: string): string {
    if (byFirst.has(word) || courtesy.has(word) || aboutMessages.has(word) || word.length < 4) return word
    const short = word.replace(/(\p{L})\1{2,}/gu, '$1')
    return singles.find((single) => single === short || isSlip(word, single)) ?? word
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
        return at >= 0 && text.length <= unspacedMax && !unspacedDenial.test(text.slice(0, at))
      })
    }
    const all = wordsOf(sentence).map(mended)
    const isEdge = (word: string) => courtesy.has(word)
    const first = all.findIndex((word) => !isEdge(word))
    const last = all.findLastIndex((word) => !isEdge(word))
    return all.some((word, at) => {
      if (exceptions.some((phrase) => [0, 1].some((back) => startsAt(all, at - back, phrase)))) return false
      return (byFirst.get(word) ?? []).some((phrase) => {
        if (!startsAt(all, at, phrase) || isDenied(all, at)) return false
        const rest = [...all.slice(0, at), ...all.slice(at + phrase.length)]
        const isAlone = rest.every((other) => isEdge(other) || byFirst.has(other))
        if (isAlone || rest.some((other) => aboutMessages.has(other))) return true
        const isAtEdge = at <= first || at + phrase.length > last
        return isAtEdge && !(phrase.length === 1 && everyday.has(word))
      })
    })
  }

  return (text) =>
    text.length <= longestText && !isKeyword(text) && sentences(withoutQuotes(text, isKeyword)).some(asks)
}
