import { writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { generate } from 'selfsigned'
import { describe, expect, it } from 'vitest'
import { systemClock } from '#electron/lib/clock.ts'
import { readPlace } from '#electron/relay/config.ts'
import { openDocuments } from '#electron/relay/storage.ts'
import { whyNoNats } from '../../helpers/nats-cluster.ts'
import { quietLog } from '../../helpers/quiet-log.ts'
import { startHost } from '../../helpers/start-host.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

describe.skipIf(whyNoNats() !== null)('a NATS server with TLS and a password', () => {
  it('is used with the files of the config, and refused without', async () => {
    const folder = tempFolder()
    const write = (name: string, text: string) => {
      writeFileSync(join(folder, name), text, { mode: 0o600 })
      return join(folder, name)
    }
    const { private: key, cert } = await generate([{ name: 'commonName', value: 'nats' }], {
      keySize: 2048,
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
    })
    const port = await freePort()
    const server = startHost({
      command: 'nats-server',
      args: [
        ...['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', join(folder, 'js')],
        ...['--user', 'relay', '--pass', 'secret'],
        ...['--tls', '--tlscert', write('cert.pem', cert), '--tlskey', write('key.pem', key)],
      ],
      env: { PATH: `${process.env['PATH'] ?? ''}:/usr/local/sbin:/usr/sbin` },
    })
    await server.line(/Server is ready/)
    write('right', 'relay:secret\n')
    write('wrong', 'relay:guess')
    const open = (store: Record<string, string>) => {
      const config = write(
        'relay.json',
        JSON.stringify({
          inboxes: [{ name: 'main', path: '/webhooks' }],
          store: { url: `tls://localhost:${port}`, ...store },
        }),
      )
      return openDocuments(readPlace({ config }), systemClock, quietLog)
    }
    const { documents, close } = await open({ credentialsFile: 'right', caFile: 'cert.pem' })
    await documents.update('tokens/ana', () => 'text')
    expect(documents.keys('tokens/')).toEqual(['tokens/ana'])
    await close()
    await expect(open({ credentialsFile: 'wrong', caFile: 'cert.pem' })).rejects.toThrow(
      /NATS at tls:.* can't be used: .*uthorization.*Nothing was changed/,
    )
  })
})
