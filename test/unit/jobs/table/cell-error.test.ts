import { expect, test } from 'vitest'
import { isCellError, isNoValue } from '#electron/jobs/table/cell-error.ts'
import { texts } from '../../../helpers/texts.ts'

const errors = `#DIV/0! #VALUE! #REF! #NAME? #NUM! #NULL! #N/A #SPILL! #CALC! #FIELD! #BLOCKED! #UNKNOWN! #CONNECT! #BUSY! #PYTHON!
  #TIMEOUT! #EXTERNAL! #ERROR! #GETTING_DATA #WERT! #BEZUG! #ZAHL! #NV #ÜBERLAUF! #KALK! #FELD! #¡VALOR! #¡REF! #¿NOMBRE? #N/D
  #¡DESBORDAMIENTO! #¡CAMPO! #VALEUR! #NOMBRE! #NOM? #PROPAGATION! #VALORE! #NÚM! #WAARDE! #N/B #GETAL! #DEEL/0! #ARG! #ADR! #LICZBA!
  #DZIEL/0! #ЗНАЧ! #ССЫЛКА! #ИМЯ? #Н/Д #ДЕЛ/0! #DEĞER! #YOK #AD? #VÄRDEFEL! #NAMN? #I/T #VÆRDI! #HODNOTA! #NENÍ_K_DISPOZICI #ÉRTÉK!
  #HIÁNYZIK Err:502 Err:522 Fehler:502 Error:504 ### ######## Loading... Loading…`

test.each(errors.split(/\s+/))('knows %s as an error of a cell', (text) => {
  expect(isCellError(text)).toBe(true)
  expect(isCellError(` ${text}\n`)).toBe(true)
})

test.each([
  ...texts(`
    #1 | #12 | #Danke! | #sale | #SALE | N/A | WERT! | Err | Error: 5 | # 5 ! | # | ## | Loading
    -`),
  '',
])('takes %j for a value', (text) => {
  expect(isCellError(text)).toBe(false)
})

test.each([
  ['NULL', true],
  ['\\N', true],
  ['#N/A', true],
  ['Null', false],
  ['null', false],
  ['N/A', false],
])('%s is no value: %s', (text, expected) => {
  expect(isNoValue(text)).toBe(expected)
})
