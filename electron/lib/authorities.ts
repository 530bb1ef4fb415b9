import { readFileSync } from 'node:fs'
import tls from 'node:tls'
import type { Log } from './log.ts'

const pemCertificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** Adds the system's authorities to this thread's, and those of NODE_EXTRA_CA_CERTS, which Electron ignores when its fuses are set. */
export function trustSystemAuthorities(log: Log): void {
  const read = (what: string, certificates: () => readonly string[]) => {
    try {
      return certificates()
    } catch (error) {
      log.warn('Could not read the system’s certificate authorities', { what, error })
      return []
    }
  }
  const own = read('default', () => tls.getCACertificates('default'))
  const system = read('system', () => tls.getCACertificates('system'))
  const file = process.env['NODE_EXTRA_CA_CERTS']
  const extra = read('NODE_EXTRA_CA_CERTS', () =>
    file ? (readFileSync(file, 'utf8').match(pemCertificate) ?? []) : [],
  )
  if (own.length === 0) return
  read('all', () => {
    tls.setDefaultCACertificates([...new Set([...own, ...system, ...extra])])
    return []
  })
}
