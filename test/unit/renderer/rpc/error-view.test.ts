import { ORPCError } from '@orpc/client'
import { describe, expect, it } from 'vitest'
import { errorTable } from '#contract/errors.ts'
import { attempt, DisconnectedError, toErrorView } from '../../../../renderer/src/rpc/error-view.ts'

describe('errors as the operator reads them', () => {
  it('fills the sentence of the table from the data that travelled', () => {
    const cause = new ORPCError('PORT_TAKEN', { data: { port: 8787, hint: ' (python3)' } })
    expect(toErrorView(cause)).toEqual({
      code: 'PORT_TAKEN',
      text: expect.stringContaining('Port 8787 is in use (python3).'),
      retryable: false,
      data: { port: 8787, hint: ' (python3)' },
    })
  })

  it('keeps only plain values of the data, so that nothing nested is drawn', () => {
    const cause = new ORPCError('SERVICE_REJECTED', { data: { serviceText: 'no', extra: { deep: 1 } } })
    expect(toErrorView(cause).data).toEqual({ serviceText: 'no' })
  })

  it('marks as retryable what the table marks so', () => {
    expect(toErrorView(new ORPCError('RATE_LIMITED', { data: { retryInSeconds: 7 } })).retryable).toBe(true)
    expect(errorTable.RATE_LIMITED.retryable).toBe(true)
  })

  it('names the fields of a refused input', () => {
    const cause = new ORPCError('BAD_REQUEST', { data: { issues: [{ path: ['port'], message: 'too big' }] } })
    expect(toErrorView(cause)).toMatchObject({ code: 'INVALID_INPUT', data: { detail: 'port: too big' } })
  })

  it('turns a broken way to the core into DISCONNECTED', () => {
    expect(toErrorView(new DisconnectedError('gone')).code).toBe('DISCONNECTED')
  })

  it('turns everything else into INTERNAL and says nothing of it', () => {
    const view = toErrorView(new TypeError('secret at line 3'))
    expect(view.code).toBe('INTERNAL')
    expect(JSON.stringify(view)).not.toContain('secret')
    expect(toErrorView(new ORPCError('TEAPOT', { data: { correlationId: 'ab12' } })).text).toContain('ab12')
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
