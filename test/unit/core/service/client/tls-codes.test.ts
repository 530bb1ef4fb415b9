import { expect, test } from 'vitest'
import { networkFailure } from '#electron/core/service/client/http-errors.ts'

const name = { host: 'api.example.com', call: 'POST /messages' }
const failureOf = (code: string, isOpen: boolean, message = code) => {
  const cause = Object.assign(new Error(message), { code })
  return networkFailure(name, Object.assign(new TypeError('fetch failed'), { cause }), [], isOpen).error.code
}

// Left: Node 24 over OpenSSL, measured with servers that send these alerts. Right: Electron, BoringSSL's reason names.
test.each([
  ['ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE', 'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE'],
  ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION'],
  ['ERR_SSL_TLSV1_UNRECOGNIZED_NAME', 'ERR_SSL_TLSV1_ALERT_UNRECOGNIZED_NAME'],
  ['ERR_SSL_TLSV1_UNSUPPORTED_EXTENSION', 'ERR_SSL_TLSV1_ALERT_UNSUPPORTED_EXTENSION'],
  ['ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL', 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL'],
  ['ERR_SSL_NO_PROTOCOLS_AVAILABLE', 'ERR_SSL_NO_SUPPORTED_VERSIONS_ENABLED'],
  ['ERR_SSL_DH_KEY_TOO_SMALL', 'ERR_SSL_BAD_DH_P_LENGTH'],
  ['CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID'],
])('names a handshake that fails with %s, in Electron %s', (...codes) => {
  for (const code of codes) expect(failureOf(code, false)).toBe('SERVICE_TLS')
})

// In TLS 1.3, these can follow the request.
test.each([
  ['ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE', 'ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE'],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'ERR_SSL_TLSV1_ALERT_CERTIFICATE_REQUIRED'],
  ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', 'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA'],
])('names a service that refuses our certificate with %s, in Electron %s', (...codes) => {
  for (const code of codes)
    for (const isOpen of [false, true]) expect(failureOf(code, isOpen)).toBe('SERVICE_TLS')
})

test('does not blame certificates for a fault of an open connection', () => {
  for (const code of ['ERR_SSL_BAD_RECORD_TYPE', 'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC', 'EPROTO'])
    expect(failureOf(code, true)).toBe('SERVICE_UNREACHABLE')
})

test.each([
  'write EPROTO 00E7:error:0A00010B:SSL routines:tls_validate_record_header:wrong version number:../deps/openssl/x.c:80:\n',
  'write EPROTO 36536:error:100000f7:SSL routines:OPENSSL_internal:WRONG_VERSION_NUMBER:../../third_party/x.cc:227:\n',
])('blames no certificate where a port doesn’t use https: %s', (message) => {
  expect(failureOf('EPROTO', false, message)).toBe('SERVICE_UNREACHABLE')
})
