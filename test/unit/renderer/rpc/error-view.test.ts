import { ORPCError } from '@orpc/client'
import { describe, expect, it, vi } from 'vitest'
import { isRetryable } from '#contract/errors.ts'
import { setLanguage } from '../../../../renderer/src/shared/i18n/catalogue.ts'
import { errorText } from '../../../../renderer/src/shared/i18n/core-texts.ts'
import { attempt, DisconnectedError, toErrorView } from '../../../../renderer/src/rpc/error-view.ts'

describe('errors as shown', () => {
  it('fills the text of the current language from the data', async () => {
    const data = { port: 8787 }
    const error = toErrorView(new ORPCError('PORT_TAKEN', { data }))
    expect(error).toEqual({ code: 'PORT_TAKEN', retryable: false, data })
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

  it('marks errors as retryable by the table', () => {
    expect(toErrorView(new ORPCError('RATE_LIMITED', { data: { retryInSeconds: 7 } })).retryable).toBe(true)
    expect(isRetryable('RATE_LIMITED')).toBe(true)
  })

  it('names the fields of an invalid input', () => {
    const cause = new ORPCError('BAD_REQUEST', { data: { issues: [{ path: ['port'], message: 'too big' }] } })
    expect(toErrorView(cause)).toMatchObject({
      code: 'INVALID_INPUT',
      data: { detail: { key: 'fault.invalid', where: 'port' } },
    })
  })

  it('turns a lost connection to the core into DISCONNECTED', () => {
    expect(toErrorView(new DisconnectedError('gone')).code).toBe('DISCONNECTED')
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
