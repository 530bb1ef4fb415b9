import { writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { nkeys } from '@nats-io/transport-node'
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

/** Signs claims as `nsc` does: a JWT with the algorithm `ed25519-nkey`. */
function jwt(
  issuer: nkeys.KeyPair,
  subject: nkeys.KeyPair,
  name: string,
  nats: Record<string, unknown>,
): string {
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = { jti: name, iat: 1, iss: issuer.getPublicKey(), sub: subject.getPublicKey(), name }
  const text = `${encoded({ typ: 'JWT', alg: 'ed25519-nkey' })}.${encoded({ ...claims, nats: { version: 2, ...nats } })}`
  return `${text}.${Buffer.from(issuer.sign(Buffer.from(text))).toString('base64url')}`
}

describe.skipIf(whyNoNats() !== null)('a NATS server with accounts', () => {
  it('takes the .creds file of a user, and refuses that of another account', async () => {
    const folder = tempFolder()
    const write = (name: string, text: string) => {
      writeFileSync(join(folder, name), text, { mode: 0o600 })
      return join(folder, name)
    }
    const [operator, system, account, stranger, user] = [
      nkeys.createOperator(),
      nkeys.createAccount(),
      nkeys.createAccount(),
      nkeys.createAccount(),
      nkeys.createUser(),
    ]
    const unlimited = {
      subs: -1,
      data: -1,
      payload: -1,
      imports: -1,
      exports: -1,
      wildcards: true,
      conn: -1,
      leaf: -1,
    }
    const storage = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 }
    const accountOf = (keys: nkeys.KeyPair, name: string, limits: object) =>
      jwt(operator, keys, name, { type: 'account', limits })
    const port = await freePort()
    const preload = {
      [system.getPublicKey()]: accountOf(system, 'SYS', unlimited),
      [account.getPublicKey()]: accountOf(account, 'relays', { ...unlimited, ...storage }),
    }
    const config = {
      listen: `127.0.0.1:${port}`,
      operator: jwt(operator, operator, 'operator', { type: 'operator' }),
      system_account: system.getPublicKey(),
      resolver: 'MEMORY',
      resolver_preload: preload,
      jetstream: { store_dir: join(folder, 'js') },
    }
    const server = startHost({
      command: 'nats-server',
      args: ['-c', write('nats.conf', JSON.stringify(config))],
      env: { PATH: `${process.env['PATH'] ?? ''}:/usr/local/sbin:/usr/sbin` },
    })
    await server.line(/Server is ready/)
    const credsOf = (owner: nkeys.KeyPair, name: string) => {
      const token = jwt(owner, user, name, { type: 'user', subs: -1, data: -1, payload: -1 })
      const seed = new TextDecoder().decode(user.getSeed())
      const part = (title: string, text: string) =>
        `-----BEGIN ${title}-----\n${text}\n------END ${title}------\n\n`
      write(name, part('NATS USER JWT', token) + part('USER NKEY SEED', seed))
    }
    credsOf(account, 'right.creds')
    credsOf(stranger, 'wrong.creds')
    const open = (credentialsFile: string) => {
      const store = { url: `nats://127.0.0.1:${port}`, credentialsFile }
      const inboxes = [{ name: 'main', path: '/webhooks' }]
      const file = write('relay.json', JSON.stringify({ inboxes, store }))
      return openDocuments(readPlace({ config: file }), systemClock, quietLog)
    }
    const { documents, close } = await open('right.creds')
    await documents.update('tokens/ana', () => 'text')
    expect(documents.keys('tokens/')).toEqual(['tokens/ana'])
    await close()
    await expect(open('wrong.creds')).rejects.toThrow(/can't be used: .*uthorization.*Nothing was changed/)
  })
})

describe.skipIf(whyNoNats() !== null)('a NATS server with TLS and a password', () => {
  it('is used with the files of the config, and refused without them', async () => {
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
