/**
 * Words that mean "send me nothing more" when they are the whole text of an inbound message. The English ones
 * are from the CTIA Messaging Principles; the others are those that operators of each language print under their
 * messages.
 */
export const defaultOptOutKeywords: readonly string[] = [
  ...['stop', 'stop all', 'stopall', 'unsubscribe', 'cancel', 'end', 'quit', 'opt out', 'optout', 'revoke'],
  ...['unsub', 'remove', 'remove me', 'no more', 'stopp', 'abmelden', 'abbestellen', 'austragen', 'kündigen'],
  ...['arrêt', 'arrêter', 'désabonner', 'se désabonner', 'désinscrire', 'résilier'],
  ...['baja', 'darse de baja', 'parar', 'cancelar', 'detener', 'sair', 'pare', 'remover', 'descadastrar'],
  ...['basta', 'annulla', 'disiscrivi', 'cancellami', 'afmelden', 'uitschrijven', 'stoppen'],
  ...['avsluta', 'avregistrera', 'afmeld', 'avmeld', 'lopeta', 'peruuta', 'poistu'],
  ...['rezygnuję', 'wypisz', 'wypisz mnie', 'zrušit', 'odhlásit', 'zrušiť', 'leiratkozás', 'leiratkozom'],
  ...['dezabonare', 'odjava', 'odjavi', 'отписаться', 'отписка', 'стоп', 'отмена', 'відписатися', 'отказ'],
  ...['στοπ', 'διακοπή', 'διαγραφή', 'iptal', 'abonelikten çık', 'ret'],
  ...['توقف', 'إيقاف', 'الغاء', 'إلغاء', 'הסר', 'הסרה', 'रोकें', 'बंद', 'बंद करें', 'لغو'],
  ...['berhenti', 'henti', 'batal', 'unreg', 'hủy', 'từ chối', 'หยุด', 'ยกเลิก'],
  ...[
    '停止',
    '退',
    't退',
    '退t',
    'r退',
    '退订',
    '退訂',
    '取消',
    'td',
    '解除',
    '配信停止',
    'ストップ',
    '수신거부',
    '중지',
    '거부',
  ],
]

/** Letters whose accent Unicode does not split off. Their capitals, and people in a hurry, have none. */
const barePart: Record<string, string> = { ı: 'i', ł: 'l', đ: 'd' }

/**
 * Normalizes a text for comparison: compatibility forms replaced, lower case, accents removed from Latin, Greek
 * and Cyrillic letters, marks from Arabic ones, punctuation, symbols and invisible characters dropped, single spaces.
 */
export function plain(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[ıłđ]/g, (letter) => barePart[letter]!)
    .normalize('NFD')
    .replace(/[\u0300-\u036f\u064b-\u0655\p{Cf}\p{DI}]+/gu, '')
    .replace(/[\p{P}\p{S}\p{Cc}\s]+/gu, ' ')
    .trim()
}

/** Blanks don't make a message longer: none around the text, and a line break or a space for several. */
export const collapseBlanks = (text: string): string =>
  text.replace(/[\s\p{Cf}\p{DI}\u2800]{2,}/gu, (blanks) => (blanks.includes('\n') ? '\n' : ' ')).trim()

/** Longest inbound text compared, in characters. Every keyword with punctuation is much shorter. */
const longestStopText = 64

/** Tests whether a whole text is one of `words`, once or repeated, ignoring case, accents, punctuation and blanks between single letters. */
export function createOptOutTest(words: readonly string[]): (text: string) => boolean {
  const known = new Set(words.map(plain).filter((word) => word !== ''))
  return (text) => {
    if (collapseBlanks(text).length > longestStopText) return false
    const spelled = plain(text).replace(/(?<=^|\s)\p{L}(\s\p{L})+(?=\s|$)/gu, (letters) =>
      letters.replaceAll(' ', ''),
    )
    return known.has(plain(text)) || known.has(spelled.replace(/^(.+?)( ?\1)+$/u, '$1'))
  }
}
