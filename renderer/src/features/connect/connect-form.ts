import type { ConnectInput, Connection } from '#contract/connection/connections.ts'
import { type ErrorCode, scopeOf } from '#contract/errors.ts'

/** The form as typed. Secrets exist here only while the page is open. */
export interface ConnectForm {
  id: string | null
  baseUrl: string
  kind: 'password' | 'api-key'
  username: string
  password: string
  apiKey: string
  name: string
  colour: Connection['colour']
  production: boolean
  /** The host, typed to allow plain http to it. */
  plainHttpHost: string
}

export type ConnectField = 'baseUrl' | 'username' | 'password' | 'apiKey' | 'name' | 'plainHttpHost'

export function emptyForm(): ConnectForm {
  return {
    id: null,
    baseUrl: '',
    kind: 'password',
    username: '',
    password: '',
    apiKey: '',
    name: '',
    colour: 'blue',
    production: false,
    plainHttpHost: '',
  }
}

/** The form for signing in to a saved connection again: everything but the secret. */
export function formOf(connection: Connection): ConnectForm {
  return {
    ...emptyForm(),
    id: connection.id,
    baseUrl: connection.baseUrl,
    kind: connection.credentialKind,
    username: connection.username ?? '',
    name: connection.name,
    colour: connection.colour,
    production: connection.production,
    plainHttpHost: connection.allowPlainHttp ? hostOf(connection.baseUrl) : '',
  }
}

/** Host and port of an address, or an empty text. A missing scheme is read as https. */
export function hostOf(baseUrl: string): string {
  const typed = baseUrl.trim()
  // A browser reads blanks in a host as %20.
  if (typed === '' || /\s/.test(typed)) return ''
  try {
    return new URL(/^[a-z][a-z\d+.-]*:\/\//i.test(typed) ? typed : `https://${typed}`).host
  } catch {
    return ''
  }
}

/** The name a connection gets when none is typed: its host, or a base URL without one, which the core rejects. */
function nameFor(form: ConnectForm): string {
  return form.name.trim() || (hostOf(form.baseUrl) || form.baseUrl.trim()).slice(0, 60)
}

/** Empty fields, in the order of the form. The core checks everything else. */
export function missingFields(form: ConnectForm): ConnectField[] {
  const needed: ConnectField[] =
    form.kind === 'password' ? ['baseUrl', 'username', 'password'] : ['baseUrl', 'apiKey']
  return needed.filter((field) => form[field].trim() === '')
}

/** Whether a connection can be saved after this failure, to work with stored data. */
export const canWorkOffline = (code: string): boolean => scopeOf(code) === 'network'

/** The call's input. Plain http counts as allowed only when the host typed is the host of the address. */
export function toConnectInput(form: ConnectForm, evenOffline = false): ConnectInput {
  return {
    ...(form.id === null ? {} : { id: form.id }),
    name: nameFor(form),
    baseUrl: form.baseUrl.trim(),
    colour: form.colour,
    production: form.production,
    allowPlainHttp: allowsPlainHttp(form),
    evenOffline,
    credential:
      form.kind === 'password'
        ? { kind: 'password', username: form.username.trim(), password: form.password }
        : { kind: 'api-key', apiKey: form.apiKey.trim() },
  }
}

/** True if the operator typed exactly this host to allow plain http. */
function allowsPlainHttp(form: ConnectForm): boolean {
  const host = hostOf(form.baseUrl)
  return host !== '' && form.plainHttpHost.trim().toLowerCase() === host
}

const fieldOfError: Partial<Record<ErrorCode, ConnectField>> = {
  BASE_URL_INVALID: 'baseUrl',
  BASE_URL_WITH_CREDENTIALS: 'baseUrl',
  BASE_URL_NOT_HTTPS: 'plainHttpHost',
  SERVICE_UNREACHABLE: 'baseUrl',
  SERVICE_TIMEOUT: 'baseUrl',
  SERVICE_TLS: 'baseUrl',
  SERVICE_REDIRECTED: 'baseUrl',
  NOT_THE_SERVICE: 'baseUrl',
  WRONG_PASSWORD: 'password',
  API_KEY_REFUSED: 'apiKey',
  NAME_TAKEN: 'name',
}

/** The field of an error; null for the form as a whole. */
export function fieldOf(code: string): ConnectField | null {
  return fieldOfError[code as ErrorCode] ?? null
}
