import { type CallingCode, callingCodeOf, planOf } from './numbering-plans.ts'

/**
 * What a text from outside says once its notation is removed. `international`: the notation implies a country code, as chat addresses do.
 * `extension`: an extension or a footnote was removed.
 */
export type CleanNumber =
  | { fault: 'rounded' | 'fraction'; text: string }
  | { fault: null; text: string; international: boolean; extension: boolean }

/** Invisible: direction marks, joiners, byte order marks, fillers. */
const invisible = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu
const space = /[^\S\n]/g
/** Also the mark of long vowels, which Japanese keyboards give for a hyphen. */
const dash = /[\p{Pd}\u2212_ーｰ]/gu
const fullWidth = /[\uff01-\uff5e]/g
const otherDigit = /(?![0-9])\p{Nd}/gu

/** The value of a decimal digit. Unicode keeps the ten digits of each script together, from zero. */
function digitOf(char: string): string {
  const code = char.codePointAt(0)!
  let before = 0
  while (/\p{Nd}/u.test(String.fromCodePoint(code - before - 1))) before++
  return String(before % 10)
}

/** Words before a number that name a way to reach a phone. A fax, or an ID of another network, is no phone. */
const scheme =
  /^(?:(?:[cmpt]|tel|telefon|telefono|telephone|tél|téléphone|phone|mobile|mobil|movil|móvil|mob|cell?|celular|cellulare|handy|gsm|natel|portable|ph|telf|tlf|tfno|privat|dienstlich|whatsapp|home|work|office|casa|trabajo|oficina)(?:\s*[.:]+\s*(?:\/\/)?|\s+(?=[+(]*\d))|(?:sms|smsto|mms|mmsto|callto|whatsapp|wa|viber|signal|rcs|sips?)\s*[.:]+\s*(?:\/\/)?)/i
/** Schemes and addresses that are always written with a country code. */
const chatScheme = /^(?:whatsapp|wa|viber|signal):(?!\s)/i
const chatAddress = /^\+?(\d+)(?:[.:_]\d+)*@(?:s\.whatsapp\.net|c\.us)$/i
const chatLink =
  /^(?:https?:\/\/)?(?:wa\.me\/|(?:api|web)\.whatsapp\.com\/send\/?\?(?:[^#]*&)?phone=)(?:\+|%2b)?(\d+)(?:[/?&#].*)?$/i
const host = /@[\w.-]+(?::\d+)?$/
/** 3GPP: a number with its type. */
const gatewayType = /\/type=\w+.*$/i

const parameters = /^([^;]*)((?:;[\w-]+(?:=[^;]*)?)+)$/
const context = /;phone-context=(\+\d+)/i
const extension =
  /[\s,;(]*(?:(?:extension|extn?|durchwahl|dw|anexo|poste)[\s.:=]*|[x#pw]\s*|[,;]{2,}\s*)\d{1,7}[#*]?\)?$/i
/** A kind of line behind the number, as address books write it. */
const label =
  /\s*(?:\(\s*\p{L}[\p{L}\s.]*\)|[-,]?\s(?:mobile?|mob|cell|home|work|private?|priv|office|whatsapp|handy|dienstlich|casa|trabajo|oficina)\.?)$/iu

/** A footnote or a count behind a whole number. */
const note =
  /(?<=(?:\d\D*){7})(?:\s*[([{]\s*\d{1,3}[^\d()[\]{}]*[)\]}]|\s*[*_\t]\s*\d{1,3}|(?<![\p{L}.])\s\d{1,2}\))$/u
/** A number or sign that a list puts before each of its lines. */
const listMark =
  /^(?:\d{1,3}\t\s*|[#№]\s*\d{1,3}[.):]*\s+|\[\d{1,3}\]\s*|\(\d{1,3}\)\s+(?=[+0])|\d{1,3}\s*[.):]+\s+(?=[+0])|[-*•]\s+(?=[+\d]))/u

/** A spreadsheet's way to keep text: `="0123"`, or a leading apostrophe. */
const asText = /^=\s*"(.*)"$/s
const quotes = /^["'`´‘’“”«»]+|["'`´‘’“”«»]+$/g

/** As a spreadsheet or a program writes large numbers: sign, whole part, fraction, exponent. */
export const scientific = /^(\+?)(\d+)(?:[.,](\d*))?E\+?(\d+)$/i
const decimal = /^(\+?\d{6,})[.,](\d{1,6})$/
/** Digits in groups of three, as a spreadsheet shows them. Dots count only before decimals. */
const grouped =
  /(?<![\d,.'’])[1-9]\d{0,2}(?:(?:,\d{3}){2,}(?!,?\d)|(?:['’]\d{3}){2,}(?!['’]?\d)|(?:\.\d{3}){2,}(?=,\d+$))/g
const mostDigits = 15
/** Nothing to remove. */
const plain = /^\+?[0-9]+$/

/** The text with ASCII digits, blanks and hyphens, and without invisible characters. */
export const plainDigits = (text: string): string =>
  text.replace(invisible, '').replace(otherDigit, digitOf).replace(dash, '-').replace(space, ' ')

/** The text with numbers such as `2,025,550,107` as one group of digits. */
export const withoutGrouping = (text: string): string =>
  text.replace(grouped, (number) => number.replace(/\D/g, ''))

/** Whether a zero is dialled before a national number, or part of it as in Italy. */
function mayHaveZero({ regions: [region] }: CallingCode, national: string): boolean {
  if (region === undefined) return false
  const { nationalPrefix, general } = planOf(region)
  return (nationalPrefix?.test('0') ?? false) || general.test(`0${national}`)
}

/** All digits of a number in scientific notation; null if some were lost. */
function expand([, plus, whole, fraction = '', exponent]: RegExpExecArray): string | null {
  const places = Number(exponent)
  if (fraction.length < places || whole!.length + places > mostDigits) return null
  return /^0*$/.test(fraction.slice(places)) ? plus! + whole! + fraction.slice(0, places) : null
}

function withoutNotes(text: string): string {
  const rest = text.replace(note, '')
  return rest === text ? text : withoutNotes(rest)
}

/** A text without its scheme, its host and the type of a gateway. */
function withoutAddress(text: string): string {
  const number = text.replace(scheme, '')
  if (/^sips?:/i.test(text)) return number.replace(/(;[^@]*)?@.*$/, '').replace(gatewayType, '')
  return (number === text ? text : number.replace(host, '')).replace(gatewayType, '')
}

/** A number without the parameters of an address, behind the prefix that they give. */
function withoutParameters(text: string): string {
  const [, number, all] = parameters.exec(text) ?? []
  if (number === undefined || !/;(?:ext|isub|phone-context|user|postd)\b/i.test(all!)) return text
  return number.startsWith('+') ? number : (context.exec(all!)?.[1] ?? '') + number
}

function withoutLabel(text: string): string {
  const number = text.replace(label, '')
  return /\d/.test(number) ? number : text
}

function withoutExtension(text: string): string {
  const number = text.replace(extension, '')
  return /\d{5}/.test(number.replace(/\D/g, '')) ? withoutNotes(number.trim()) : text
}

/** All digits of a number as a spreadsheet or a database writes it, or why they are lost. */
function wholeNumber(text: string): { fault: 'rounded' | 'fraction' | null; text: string } {
  const power = scientific.exec(text)
  const all = power ? expand(power) : text
  if (all === null) return { fault: 'rounded', text }
  const number = withoutGrouping(all)
  const [, whole = '', fraction = ''] = decimal.exec(number) ?? []
  // Databases write up to six zeros; other long fractions are groups of a number.
  if (whole === '' || (fraction.length > 3 && !/^\+?\d{7,}[.,]0+$/.test(number)))
    return { fault: null, text: number }
  return /[1-9]/.test(fraction) ? { fault: 'fraction', text: number } : { fault: null, text: whole }
}

/**
 * Removes what is not part of a number from a text from outside: schemes, chat addresses, invisible and full-width characters, labels,
 * list marks, footnotes, extensions, spreadsheet notations, decimals of zero, and grouping. What remains is not validated.
 */
export function cleanNumber(written: string): CleanNumber {
  if (plain.test(written)) return { fault: null, text: written, international: false, extension: false }
  const visible = written.replace(invisible, '').replace(otherDigit, digitOf).trim()
  const unmarked = visible.replace(listMark, '')
  const unnoted = withoutNotes(unmarked)
  const ascii = plainDigits(unnoted)
    .replace(fullWidth, (char) => String.fromCharCode(char.charCodeAt(0) - 0xfee0))
    .trim()
  const unquoted = (asText.exec(ascii)?.[1] ?? ascii).replace(quotes, '').trim()

  const chat = chatAddress.exec(unquoted) ?? chatLink.exec(unquoted)
  if (chat) return { fault: null, text: `+${chat[1]}`, international: true, extension: false }
  const address = withoutAddress(unquoted)
  const labelled = withoutParameters(address)
  const extended = withoutLabel(labelled)
  const number = withoutExtension(extended)
  const isExtended =
    unnoted !== unmarked || number !== extended || (labelled !== address && /;ext=/i.test(address))

  const { fault, text: whole } = wholeNumber(number)
  if (fault !== null) return { fault, text: whole }
  // What comes before a bracketed zero is the country code.
  const [, code = '', rest = ''] = /^(?:\+|00)? ?([1-9]\d{0,2}) ?\(0\)(.*)$/s.exec(whole) ?? []
  const country = code === '' ? null : callingCodeOf(code)
  const hasCode = country?.code === code
  const isZeroWrong = hasCode && !mayHaveZero(country, rest.replace(/\D/g, ''))
  const dialled = (isZeroWrong ? whole.replace('(0)', ' ') : whole).replace(/^\(0\)/, '0')
  const international = hasCode || chatScheme.test(unquoted)
  const text = international && !/^[+0]/.test(dialled) ? `+${dialled}` : dialled
  return { fault: null, text, international, extension: isExtended }
}
