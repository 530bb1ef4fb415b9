import { describe, expect, test } from 'vitest'
import { type ShellNotice, showNotices, shownAtMost } from '../../../../renderer/src/app/shell/notices.ts'

const notice = (key: string, severity: ShellNotice['severity']): ShellNotice => ({
  key,
  severity,
  error: { code: 'INTERNAL', text: key, retryable: false, data: {} },
  act: null,
})
const errors = [1, 2, 3].map((n) => notice(`error ${n}`, 'error'))
const lost = notice('lost', 'link')
const signIn = notice('sign-in', 'link')
const folded = (most: number) => ({ most, isOpen: false })
const keys = (notices: ShellNotice[]) => notices.map(({ key }) => key)

describe('notices of every page', () => {
  test('begin with a lost link, however many errors there are', () => {
    const { grave, folded: left } = showNotices([...errors, lost], 0, folded(shownAtMost.wide))
    expect(keys(grave)).toEqual(['lost', 'error 1', 'error 2'])
    expect(left).toBe(1)
  })

  test('fold no lost link, and leave a place for what else is new', () => {
    const { grave, folded: left } = showNotices([...errors, lost, signIn], 0, folded(shownAtMost.narrow))
    expect(keys(grave)).toEqual(['lost', 'sign-in', 'error 1'])
    expect(left).toBe(2)
  })

  test('put notes behind errors and before warnings', () => {
    const warnings = [notice('warning', 'warning'), notice('info', 'info')]
    expect(showNotices([...warnings, errors[0]!], 1, folded(3))).toMatchObject({
      grave: [{ key: 'error 1' }],
      notes: 1,
      lesser: [{ key: 'warning' }],
      folded: 1,
    })
    expect(showNotices(errors, 5, folded(3))).toMatchObject({ notes: 0, folded: 5 })
  })

  test('are all shown when they are opened', () => {
    const opened = showNotices([...errors, notice('info', 'info'), lost], 7, { most: 2, isOpen: true })
    expect(keys(opened.grave)).toEqual(['lost', 'error 1', 'error 2', 'error 3'])
    expect(keys(opened.lesser)).toEqual(['info'])
    expect(opened).toMatchObject({ notes: 7, folded: 10 })
  })
})
