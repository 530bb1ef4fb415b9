import { describe, expect, it } from 'vitest'
import { connectInputSchema } from '#contract/connection/connections.ts'
import {
  emptyForm,
  fieldOf,
  formOf,
  hostOf,
  missingFields,
  toConnectInput,
} from '../../../../../renderer/src/features/connect/connect-form.ts'
import { connections } from '../../../../helpers/scripted-answers.ts'

const filled = { ...emptyForm(), baseUrl: ' https://api.example.com/v1 ', username: 'op ', password: ' p w ' }

describe('the connect form', () => {
  it('names its empty fields in their order, by the kind of sign-in', () => {
    expect(missingFields(emptyForm())).toEqual(['baseUrl', 'username', 'password'])
    expect(missingFields({ ...emptyForm(), kind: 'api-key' })).toEqual(['baseUrl', 'apiKey'])
    expect(missingFields(filled)).toEqual([])
  })

  it('leaves a base URL without a host to the core, which names that field', () => {
    const input = toConnectInput({ ...filled, baseUrl: 'https://' })
    expect(connectInputSchema.safeParse(input).success).toBe(true)
    expect(fieldOf('BASE_URL_INVALID')).toBe('baseUrl')
    expect(fieldOf('BASE_URL_WITH_CREDENTIALS')).toBe('baseUrl')
  })

  it('becomes a valid input with the password unchanged', () => {
    const input = toConnectInput(filled)
    expect(connectInputSchema.parse(input)).toMatchObject({
      name: 'api.example.com',
      baseUrl: 'https://api.example.com/v1',
      allowPlainHttp: false,
      credential: { kind: 'password', username: 'op', password: ' p w ' },
    })
    expect(input).not.toHaveProperty('id')
  })

  it('allows plain http only to the typed host', () => {
    const plain = { ...filled, baseUrl: 'http://Api.Example.com:8080/v1' }
    expect(toConnectInput(plain).allowPlainHttp).toBe(false)
    expect(toConnectInput({ ...plain, plainHttpHost: 'example.com' }).allowPlainHttp).toBe(false)
    expect(toConnectInput({ ...plain, plainHttpHost: ' api.example.com:8080 ' }).allowPlainHttp).toBe(true)
  })

  it('reads the host of an address with or without a scheme', () => {
    expect(hostOf('api.example.com/v1')).toBe('api.example.com')
    expect(hostOf('http://127.0.0.1:4010/v1')).toBe('127.0.0.1:4010')
    expect(hostOf('not an address')).toBe('')
    expect(hostOf('')).toBe('')
  })

  it('is filled from a saved connection without its secret', () => {
    const form = formOf(connections[1]!)
    expect(form).toMatchObject({ id: 'c-stage', username: 'operator@acme.example', password: '', apiKey: '' })
    expect(toConnectInput({ ...form, password: 'x' }).id).toBe('c-stage')
  })

  it('shows an error at its field', () => {
    expect(fieldOf('WRONG_PASSWORD')).toBe('password')
    expect(fieldOf('BASE_URL_NOT_HTTPS')).toBe('plainHttpHost')
    expect(fieldOf('STORAGE_BUSY')).toBeNull()
  })
})
