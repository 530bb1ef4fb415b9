import { ORPCError } from '@orpc/client'
import { describe, expect, it, vi } from 'vitest'
import type { ErrorCode } from '#contract/errors.ts'
import { setLanguage } from '../../../../renderer/src/shared/i18n/catalogue.ts'
import { errorText } from '../../../../renderer/src/shared/i18n/core-texts.ts'
import { attempt, DisconnectedError, toErrorView } from '../../../../renderer/src/rpc/error-view.ts'

describe('errors as shown', () => {
  it('fills the text of the current language from the data', async () => {
    const data = { port: 8787 }
    const error = toErrorView(new ORPCError('PORT_TAKEN', { data }))
    expect(error).toEqual({ code: 'PORT_TAKEN', acted: 'no', data })
    expect(errorText(error)).toMatch(/^Port 8787 is in use by another program\./)
    vi.stubGlobal('document', { documentElement: {} })
    await setLanguage('es')
    expect(errorText(error)).toMatch(/^Otro programa usa el puerto 8787\./)
    await setLanguage('en')
  })

  it('shows an unknown code as an internal error', () => {
    expect(errorText({ code: 'OF_A_NEWER_VERSION', data: {} })).toContain('Something went wrong')
  })

  it('keeps only plain values of the data', () => {
    const cause = new ORPCError('SERVICE_REJECTED', { data: { serviceText: 'no', extra: { deep: 1 } } })
    expect(toErrorView(cause).data).toEqual({ serviceText: 'no' })
  })

  it.each<[ErrorCode, string | undefined, 'no' | 'maybe']>([
    ['RATE_LIMITED', undefined, 'no'],
    ['OUTCOME_UNKNOWN', undefined, 'maybe'],
    ['INTERNAL', undefined, 'maybe'],
    ['DISK_FULL', 'maybe', 'maybe'],
    ['INTERNAL', 'no', 'no'],
    ['DISK_FULL', 'nonsense', 'no'],
  ])('says of %s, with %s from the core, that the service acted: %s', (code, acted, expected) => {
    const data = acted === undefined ? {} : { acted }
    expect(toErrorView(new ORPCError(code, { data }))).toEqual({ code, acted: expected, data: {} })
  })

  it('names the fields of an invalid input', () => {
    const cause = new ORPCError('BAD_REQUEST', { data: { issues: [{ path: ['port'], message: 'too big' }] } })
    expect(toErrorView(cause)).toMatchObject({
      code: 'INVALID_INPUT',
      data: { detail: { key: 'fault.invalid', where: 'port' } },
    })
  })

  it('turns a lost connection to the core into DISCONNECTED', () => {
    expect(toErrorView(new DisconnectedError('gone'))).toMatchObject({ code: 'DISCONNECTED', acted: 'maybe' })
  })

  it('turns everything else into INTERNAL without details', () => {
    const view = toErrorView(new TypeError('secret at line 3'))
    expect(view.code).toBe('INTERNAL')
    expect(JSON.stringify(view)).not.toContain('secret')
    expect(toErrorView(new ORPCError('TEAPOT', { data: { correlationId: 'ab12' } })).data).toEqual({
      correlationId: 'ab12',
    })
    expect(toErrorView('a text').code).toBe('INTERNAL')
    expect(toErrorView(new ORPCError('toString')).code).toBe('INTERNAL')
  })

  it('never throws out of an attempt', async () => {
    expect(await attempt(Promise.resolve(3))).toEqual({ ok: true, value: 3 })
    expect(await attempt(Promise.reject(new DisconnectedError('gone')))).toMatchObject({
      ok: false,
      error: { code: 'DISCONNECTED' },
    })
  })
})
