import { describe, expect, it } from 'vitest'
import { createOptOutTest, defaultOptOutKeywords } from '#electron/core/people/dnc/opt-out-keywords.ts'
import { texts } from '../../../../helpers/texts.ts'

const isStop = createOptOutTest(defaultOptOutKeywords)

describe('an opt-out keyword', () => {
  it.each([
    ...texts(`
      STOP | stop | STOP!!! | "stop" | Stop all | opt-out | OPT OUT | ＳＴＯＰ | stop 🛑 | Arrêt
      ARRET | Baja | ¡Baja! | Abmelden | СТОП | iptal | İPTAL | إلغاء | 退订 | 退 | T退 | ストップ | 수신거부
      बंद करें | Hủy | huy
      ايقاف | أيقاف | UNREG | ABONELİKTEN ÇIK | rezygnuje`),
    ' Stop. ',
    'STOP\u200b',
    `STOP${' '.repeat(5_000)}`,
    `${'\n'.repeat(200)}S T O P\u200b`,
    'STOP\r\n',
  ])('is found in %j', (text) => {
    expect(isStop(text)).toBe(true)
  })

  it.each([
    ...texts(`!!! | please stop sending | stop it | nonstop | bus stop | do not stop | endless`),
    '',
    'stop '.repeat(100),
  ])('is the whole text only: not %j', (text) => {
    expect(isStop(text)).toBe(false)
  })

  it('comes from the given list, which may be empty', () => {
    expect(createOptOutTest(['genug'])('Genug!')).toBe(true)
    expect(createOptOutTest(['genug'])('stop')).toBe(false)
    expect(createOptOutTest(['', '!'])('')).toBe(false)
  })
})
