import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { visibleParts, visibleText } from '../../../../../renderer/src/shared/text/visible-controls.ts'

test.each([
  ['ordinary words, ü 你好 🙂', 'ordinary words, ü 你好 🙂'],
  ['pay \u202Efdp.exe', 'pay [U+202E]fdp.exe'],
  ['a\u2066b\u2069c\u200Ed\u061Ce', 'a[U+2066]b[U+2069]c[U+200E]d[U+061C]e'],
  ['\u001B[31mred', '[ESC][31mred'],
  ['zero\u200Bwidth\uFEFF', 'zero[U+200B]width[U+FEFF]'],
  ['two\r\nlines\t', 'two[CR][↵]lines[TAB]'],
  ['hidden\u{E0041}tag', 'hidden[U+E0041]tag'],
  ['half \ud83d pair', 'half [U+D83D] pair'],
  ['<img onerror=x>', '<img onerror=x>'],
])('shows %j as %j', (text, shown) => {
  expect(visibleText(text)).toBe(shown)
})

test('keeps the joiners of a family emoji and Persian words', () => {
  for (const text of ['👨‍👩‍👧', 'می‌خواهم']) expect(visibleText(text)).toBe(text)
})

test('keeps line ends and tabs in multi-line text', () => {
  expect(visibleParts('a\n\tb\u0000', true)).toEqual([
    { text: 'a\n\tb', control: false },
    { text: 'NUL', control: true },
  ])
})

test('leaves no bidi control, C0 control or half character in any text', () => {
  const unit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code))
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 60 }), (units) => {
      expect(/[\p{Bidi_Control}\p{Cc}\p{Cs}]/u.test(visibleText(units.join('')))).toBe(false)
    }),
  )
})
