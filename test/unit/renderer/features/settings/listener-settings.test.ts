import { describe, expect, it } from 'vitest'
import {
  portProblem,
  toConfig,
  toDraft,
  wideWarning,
} from '../../../../../renderer/src/features/settings/listener-draft.ts'

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
