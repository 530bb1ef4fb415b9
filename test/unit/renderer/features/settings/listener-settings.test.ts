import { describe, expect, it } from 'vitest'
import type { Refusal } from '#contract/live/listener.ts'
import {
  portProblem,
  toConfig,
  toDraft,
  wideWarning,
} from '../../../../../renderer/src/features/settings/listener-draft.ts'
import { groupRefusals, sizesText } from '../../../../../renderer/src/features/settings/refusal-groups.ts'

describe('a typed port', () => {
  it('is a whole number from 1 to 65535, and is never corrected', () => {
    for (const typed of ['1', '8787', ' 65535 ']) expect(portProblem(typed)).toBeNull()
    for (const typed of ['', '0', '65536', '99999', 'abc', '80a', '-1', '8.5', '1e3'])
      expect(portProblem(typed)).toContain('from 1 to 65535')
  })

  it('is applied only when valid', () => {
    const config = { port: 8787, address: '127.0.0.1', path: '/webhooks', allowUnsigned: false }
    expect(toConfig(toDraft(config))).toEqual(config)
    expect(toConfig({ ...toDraft(config), port: '99999' })).toBeNull()
  })
})

describe('a typed address', () => {
  it('warns who can reach the port beyond this computer', () => {
    for (const typed of ['', ' 127.0.0.1 ', '127.8.0.1', 'LocalHost', '::1'])
      expect(wideWarning(typed)).toBe('')
    for (const typed of ['0.0.0.0', '::', '192.168.1.20', '127.0.0.1.example'])
      expect(wideWarning(typed)).toContain('Your whole network')
  })
})

describe('rejected deliveries', () => {
  const refusal = (at: string, reason: string): Refusal => ({
    id: at,
    at,
    status: 401,
    reason,
    remote: '127.0.0.1',
    method: 'POST',
    path: '/webhooks',
    sizeBytes: 200,
  })

  it('that are alike and consecutive form a group with count and period', () => {
    const list = [refusal('t5', 'a'), refusal('t4', 'a'), refusal('t3', 'b'), refusal('t2', 'a')]
    const groups = groupRefusals(list).map(({ last, firstAt, members }) => [
      last.reason,
      firstAt,
      last.at,
      members.map(({ id }) => id),
    ])
    expect(groups).toEqual([
      ['a', 't4', 't5', ['t5', 't4']],
      ['b', 't3', 't3', ['t3']],
      ['a', 't2', 't2', ['t2']],
    ])
  })

  it('from another sender form their own group', () => {
    const other = { ...refusal('t1', 'a'), remote: '10.0.0.7' }
    expect(groupRefusals([refusal('t2', 'a'), other])).toHaveLength(2)
  })

  it('of several sizes show the range, or a dash when no body was read', () => {
    const sized = (sizeBytes: number | null) => ({ ...refusal('t1', 'a'), sizeBytes })
    expect(sizesText([sized(1_220), sized(null), sized(180)])).toBe('180–1,220')
    expect(sizesText([sized(200), sized(200)])).toBe('200')
    expect(sizesText([sized(null)])).toBe('–')
  })
})
