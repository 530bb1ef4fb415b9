import { expect, test } from 'vitest'
import { likelyEncoding } from '#electron/lib/csv/likely-encoding.ts'
import { encode } from '../../../helpers/encode.ts'

const names = {
  polish: 'Łukasz Wiśniewski|Małgorzata Żółkiewska|Paweł Dąbrowski|Agnieszka Kamińska|Józef Wójcik',
  czech: 'Jiří Dvořák|Věra Šťastná|Zdeněk Kučera|Lucie Němcová|Tomáš Růžička|Jana Žáková',
  hungarian: 'Győző Kovács|Erzsébet Szűcs|László Tóth|Zsófia Hegedűs|Jenő Őri',
  russian: 'Анна Иванова|Борис Петров|Юлия Ёлкина|Дмитрий Соколов|Екатерина Морозова',
  ukrainian: 'Євген Шевченко|Ірина Ковальчук|Олексій Бондаренко|Ганна Ткаченко',
  german: 'Jürgen Müller|Gräfin Öhm|Björn Größe|Käthe Weiß|Günter Schäfer',
  french: 'François Lefèvre|Hélène Benoît|Chloé Dupré|André Garçon|Noémie Gérard',
  spanish: 'José Núñez|María Peña|Íñigo Ibáñez|Begoña Muñoz|Raúl García',
  italian: 'Nicolò Forlì|Niccolò Pardò|Mosè Cantù|Noè Donà|Irene Zappalà',
  greek: 'Γιώργος Παπαδόπουλος|Μαρία Αντωνίου|Ελένη Γεωργίου|Κώστας Δημητρίου',
  turkish: 'Ayşe Yılmaz|Mehmet Çağlar|Gülşen Öztürk|İbrahim Şahin|Çiğdem Kılıç|Ömer Doğan',
  hebrew: 'דוד כהן|שרה לוי|משה מזרחי|רחל פרץ|יוסף ביטון|מרים אברהם',
  arabic: 'محمد علي|فاطمة حسن|أحمد إبراهيم|عائشة محمود|خالد يوسف',
  lithuanian: 'Rūta Kazlauskienė|Šarūnas Žukauskas|Eglė Vaitkūnaitė|Giedrė Čepaitė',
  japanese: '山田太郎|佐藤花子|鈴木一郎|高橋美咲|田中健太|渡辺さくら',
  korean: '김민수|이영희|박지훈|최수진|정우성|한가람',
  chinese: '王小明|李娜|张伟|刘洋|陈静|赵磊',
  taiwanese: '王小明|陳美玲|林志強|張雅婷|李國華|黃淑芬',
}

const cases: [encoding: string, language: keyof typeof names][] = [
  ['windows-1250', 'polish'],
  ['windows-1250', 'czech'],
  ['windows-1250', 'hungarian'],
  ['iso-8859-2', 'polish'],
  ['iso-8859-2', 'czech'],
  ['windows-1251', 'russian'],
  ['windows-1251', 'ukrainian'],
  ['koi8-r', 'russian'],
  ['windows-1252', 'german'],
  ['windows-1252', 'french'],
  ['windows-1252', 'spanish'],
  ['windows-1252', 'italian'],
  ['macintosh', 'french'],
  ['macintosh', 'german'],
  ['windows-1253', 'greek'],
  ['windows-1254', 'turkish'],
  ['windows-1255', 'hebrew'],
  ['windows-1256', 'arabic'],
  ['windows-1257', 'lithuanian'],
  ['shift_jis', 'japanese'],
  ['euc-jp', 'japanese'],
  ['euc-kr', 'korean'],
  ['gb18030', 'chinese'],
  ['big5', 'taiwanese'],
]

const lists: Record<string, (all: string[]) => string[]> = {
  'a list of names': (all) => all,
  'three names': (all) => all.slice(0, 3),
  'names and numbers': (all) => ['Name,Phone', ...all.map((name, at) => `"${name}",+1 202 555 010${at}`)],
  'a long list with few such names': (all) =>
    Array.from({ length: 900 }, (_, at) => {
      const name = at % 150 === 149 ? all[Math.floor(at / 150) % all.length] : `Person Sample ${at}`
      return `${name},+1 202 555 0${100 + (at % 100)},person${at}@example.com,active customer since 2019`
    }),
}

test.each(
  cases.flatMap(([encoding, language]) =>
    Object.keys(lists).map((list) => [encoding, language, list] as const),
  ),
)('preselects %s for %s: %s', (encoding, language, list) => {
  const text = lists[list]!(names[language].split('|')).join('\r\n')
  const bytes = encode(text, encoding)
  const likely = likelyEncoding([bytes])
  // Encodings that read a text alike are equally right. A short one may be misread, but never with certainty.
  if (new TextDecoder(likely.encoding).decode(bytes) !== text)
    expect([list, likely.isSure]).toEqual(['three names', false])
})

test.each(['spanish', 'french', 'german', 'italian'] as const)('reads two %s names', (language) => {
  for (const list of [names[language], 'Begoña|Íñigo Peña', 'Dupré;Zoé|Lefèvre;Élodie']) {
    const text = list.split('|').slice(0, 2).join('\n')
    expect(
      new TextDecoder(likelyEncoding([encode(text, 'windows-1252')]).encoding).decode(
        encode(text, 'windows-1252'),
      ),
    ).toBe(text)
  }
})

test('isn’t sure of a text with control characters, of an old code page', () => {
  expect(likelyEncoding([Buffer.from('Name\nM\x81ller\nGro\xe1', 'latin1')]).isSure).toBe(false)
})

test('is sure of usual texts, and of none with few or ambiguous letters', () => {
  const of = (encoding: string, text: string) =>
    likelyEncoding([encode(text.replaceAll('|', '\n'), encoding)])
  expect(of('windows-1252', names.german)).toEqual({ encoding: 'windows-1252', isSure: true })
  expect(of('windows-1251', names.russian)).toEqual({ encoding: 'windows-1251', isSure: true })
  expect(of('euc-kr', names.korean)).toEqual({ encoding: 'euc-kr', isSure: true })
  expect(of('windows-1250', 'Jiří Dvořák').isSure).toBe(false)
  expect(of('windows-1250', names.polish).isSure).toBe(false)
  expect(of('windows-1252', 'Ann,+1 202 555 0101')).toEqual({ encoding: 'windows-1252', isSure: true })
})

test.each([
  'Betrag|€ 20|1.250,50',
  'Offer|“two for one”|it’s here',
  'Temp|20 °C|± 2',
  'Price|£5 – £9',
  'Nº|Nº 5|2ª',
])('reads signs without other letters as Western European: %s', (text) => {
  const bytes = encode(text.replaceAll('|', '\n'), 'windows-1252')
  expect(likelyEncoding([bytes])).toEqual({ encoding: 'windows-1252', isSure: true })
})
