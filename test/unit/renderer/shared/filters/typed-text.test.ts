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

  it('is applied once, trimmed, after a pause in typing', () => {
    const { asked, type } = aField()
    type('a')
    vi.advanceTimersByTime(60)
    type('ab ')
    vi.advanceTimersByTime(100)
    expect(asked).toEqual(['ab'])
  })

  it('is applied at the first key where that is cheap; quick ones are combined', () => {
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

  it('keeps later keys when an earlier text is applied', async () => {
    const { applied, field, type } = aField()
    type('ab')
    vi.advanceTimersByTime(100)
    type('abc')
    applied.value = 'ab'
    await nextTick()
    expect(field.typed.value).toBe('abc')
  })

  it('follows the address when not being typed in, and restores nothing after a reset', async () => {
    const { applied, asked, field, type } = aField()
    applied.value = 'from a link'
    await nextTick()
    expect(field.typed.value).toBe('from a link')
    type('x')
    field.put('')
    vi.advanceTimersByTime(200)
    expect(asked).toEqual([])
  })

  it('applies nothing after its page is gone', () => {
    const { asked, type, scope } = aField()
    type('x')
    scope.stop()
    vi.advanceTimersByTime(200)
    expect(asked).toEqual([])
  })
})
