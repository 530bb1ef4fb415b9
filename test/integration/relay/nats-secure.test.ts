import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nkeys } from '@nats-io/transport-node'
import { describe, expect, it } from 'vitest'
import { systemClock } from '#electron/lib/clock.ts'
import { readPlace } from '#electron/relay/config.ts'
import { openDocuments } from '#electron/relay/storage.ts'
import { certificateFor } from '../../helpers/certificate.ts'
import { whyNoNats } from '../../helpers/nats-cluster.ts'
import { freePort } from '../../helpers/ports.ts'
import { quietLog } from '../../helpers/quiet-log.ts'
import { startHost } from '../../helpers/start-host.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'

/** A server of its own config. `write` keeps a file in its folder, where `open` finds those that it names. */
async function startServer(argsOf: (port: number, folder: string, write: Write) => string[]) {
  const folder = tempFolder()
  const write: Write = (name, text) => {
    writeFileSync(join(folder, name), text, { mode: 0o600 })
    return join(folder, name)
  }
  const port = await freePort()
  const server = startHost({
    command: 'nats-server',
    args: argsOf(port, folder, write),
    env: { PATH: `${process.env['PATH'] ?? ''}:/usr/local/sbin:/usr/sbin` },
  })
  await server.line(/Server is ready/)
  const open = (url: string, files: Record<string, string>) => {
    const inboxes = [{ name: 'main', path: '/webhooks' }]
    const config = write(
      'relay.json',
      JSON.stringify({ inboxes, store: { url: `${url}:${port}`, ...files } }),
    )
    return openDocuments(readPlace({ config }), systemClock, quietLog)
  }
  return {
    write,
    open,
    /** Stores and finds a token with these files. */
    async works(url: string, files: Record<string, string>): Promise<void> {
      const { documents, close } = await open(url, files)
      await documents.update('tokens/ana', () => 'text')
      expect(documents.keys('tokens/')).toEqual(['tokens/ana'])
      await close()
    },
  }
}
type Write = (name: string, text: string) => string

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
    const [operator, system, account, stranger, user] = [
      nkeys.createOperator(),
      nkeys.createAccount(),
      nkeys.createAccount(),
      nkeys.createAccount(),
      nkeys.createUser(),
    ]
    const traffic = { subs: -1, data: -1, payload: -1 }
    const unlimited = { ...traffic, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 }
    const storage = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 }
    const accountOf = (keys: nkeys.KeyPair, name: string, limits: object) =>
      jwt(operator, keys, name, { type: 'account', limits })
    const preload = {
      [system.getPublicKey()]: accountOf(system, 'SYS', unlimited),
      [account.getPublicKey()]: accountOf(account, 'relays', { ...unlimited, ...storage }),
    }
    const { open, works, write } = await startServer((port, folder, write) => {
      const config = {
        listen: `127.0.0.1:${port}`,
        operator: jwt(operator, operator, 'operator', { type: 'operator' }),
        system_account: system.getPublicKey(),
        resolver: 'MEMORY',
        resolver_preload: preload,
        jetstream: { store_dir: join(folder, 'js') },
      }
      return ['-c', write('nats.conf', JSON.stringify(config))]
    })
    const credsOf = (owner: nkeys.KeyPair, name: string) => {
      const token = jwt(owner, user, name, { type: 'user', ...traffic })
      const seed = new TextDecoder().decode(user.getSeed())
      const part = (title: string, text: string) =>
        `-----BEGIN ${title}-----\n${text}\n------END ${title}------\n\n`
      write(name, part('NATS USER JWT', token) + part('USER NKEY SEED', seed))
    }
    credsOf(account, 'right.creds')
    credsOf(stranger, 'wrong.creds')
    await works('nats://127.0.0.1', { credentialsFile: 'right.creds' })
    await expect(open('nats://127.0.0.1', { credentialsFile: 'wrong.creds' })).rejects.toThrow(
      /can't be used: .*uthorization.*Nothing was changed/,
    )
  })
})

describe.skipIf(whyNoNats() !== null)('a NATS server with TLS and a password', () => {
  it('is used with the files of the config, and refused without them', async () => {
    const { cert, files } = await certificateFor('localhost')
    const { open, works, write } = await startServer((port, folder) => [
      ...['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', join(folder, 'js')],
      ...['--user', 'relay', '--pass', 'secret'],
      ...['--tls', '--tlscert', files.certFile, '--tlskey', files.keyFile],
    ])
    write('cert.pem', cert)
    write('right', 'relay:secret\n')
    write('wrong', 'relay:guess')
    await works('tls://localhost', { credentialsFile: 'right', caFile: 'cert.pem' })
    await expect(open('tls://localhost', { credentialsFile: 'wrong', caFile: 'cert.pem' })).rejects.toThrow(
      /NATS at tls:.* can't be used: .*uthorization.*Nothing was changed/,
    )
  })
})
