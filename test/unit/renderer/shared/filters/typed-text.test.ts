import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { effectScope, nextTick, ref } from 'vue'
import { useTypedText } from '../../../../../renderer/src/shared/filters/use-typed-text.ts'

describe('a text field of a filter', () => {
  beforeEach(() => vi.useFakeTimers())
  afterEach(() => vi.useRealTimers())

  function aField(first = '', options = {}) {
    const applied = ref(first)
    const asked: string[] = []
    const scope = effectScope()
    const field = scope.run(() =>
      useTypedText(
        () => applied.value,
        (text) => asked.push(text),
        100,
        options,
      ),
    )!
    const type = (text: string) => {
      field.typed.value = text
      field.touch()
    }
    return { applied, asked, field, type, scope }
  }

  it('is applied when typing rests, once, and trimmed', () => {
    const { asked, type } = aField()
    type('a')
    vi.advanceTimersByTime(60)
    type('ab ')
    vi.advanceTimersByTime(100)
    expect(asked).toEqual(['ab'])
  })

  it('is applied at the first key where that costs nothing, and quicker ones together', () => {
    const { asked, type } = aField('', { atOnce: true })
    type('a')
    expect(asked).toEqual(['a'])
    type('ab')
    vi.advanceTimersByTime(60)
    type('abc')
    expect(asked).toEqual(['a'])
    vi.advanceTimersByTime(100)
    expect(asked).toEqual(['a', 'abc'])
    type('abcd')
    expect(asked).toEqual(['a', 'abc', 'abcd'])
    vi.advanceTimersByTime(500)
    expect(asked).toEqual(['a', 'abc', 'abcd'])
  })

  it('loses no key to an answer about what was typed before it', async () => {
    const { applied, field, type } = aField()
    type('ab')
    vi.advanceTimersByTime(100)
    type('abc')
    applied.value = 'ab'
    await nextTick()
    expect(field.typed.value).toBe('abc')
  })

  it('follows the address when nobody types, and brings nothing back after it was put away', async () => {
    const { applied, asked, field, type } = aField()
    applied.value = 'from a link'
    await nextTick()
    expect(field.typed.value).toBe('from a link')
    type('x')
    field.put('')
    vi.advanceTimersByTime(200)
    expect(asked).toEqual([])
  })

  it('asks for nothing once its page is gone', () => {
    const { asked, type, scope } = aField()
    type('x')
    scope.stop()
    vi.advanceTimersByTime(200)
    expect(asked).toEqual([])
  })
})
