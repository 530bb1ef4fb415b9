import { utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generate } from 'selfsigned'
import { tempFolder } from './temp-folder.ts'

/** A self-signed certificate for a DNS name or IPv4 address, as text and as files for a server. `renew` writes one for another name. */
export async function certificateFor(name: string) {
  const folder = tempFolder()
  const files = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') }
  let written = 0
  async function renew(name: string, withKey = true): Promise<string> {
    const altName = /^[\d.]+$/.test(name) ? { type: 7 as const, ip: name } : { type: 2 as const, value: name }
    const { private: key, cert } = await generate([{ name: 'commonName', value: name }], {
      keySize: 2048,
      extensions: [{ name: 'subjectAltName', altNames: [altName] }],
    })
    if (withKey) writeFileSync(files.keyFile, key, { mode: 0o600 })
    writeFileSync(files.certFile, cert)
    // A time of its own, however fast.
    utimesSync(files.certFile, ++written, written)
    return cert
  }
  return { cert: await renew(name), files, renew }
}
