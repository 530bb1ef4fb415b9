import type { SigningKey, Verdict } from '#contract/live/signed-exports.ts'
import type { Script } from './script.ts'
import { ago, dayMs } from './broadcast.ts'
import type { ScriptedTasks } from './tasks.ts'

/** A signing key created some weeks ago. */
export const ordinaryKey: SigningKey = {
  fingerprint: '3f8a1c5be07d92464ab1f0c8d3e65a7719c2b4d80e6f3a51c97d2e84b06f1a3c',
  madeAt: ago(20 * dayMs),
  keptIn: 'keychain',
  earlier: [],
}

/** A check that reads for a while and then returns `verdict`. */
export const verifyWith = (verdict: Verdict): Script['signedExports']['verify'] =>
  async function* () {
    yield { kind: 'reading', doneBytes: 4_000_000, totalBytes: 9_000_000 }
    await Promise.resolve()
    yield { kind: 'verdict', verdict }
  }

/** Signed exports that finish at once, and files signed here that are valid. */
export const scriptedSignedExports = (tasks: ScriptedTasks): Script['signedExports'] => ({
  key: () => ({ key: ordinaryKey }),
  export: () => ({
    ...tasks.finish({
      kind: 'signed-export',
      subject: 'signed-export-20261120T1400.ndjson',
      refId: 'file-signed-export',
    }),
    key: ordinaryKey,
  }),
  verify: verifyWith({
    kind: 'valid',
    fingerprint: ordinaryKey.fingerprint,
    signedBy: 'this-console',
    head: {
      connection: 'Acme production',
      service: 'https://api.messaging.example/v1',
      from: '2026-11-20T14:00:00.000Z',
      to: '2026-11-20T15:00:00.000Z',
      madeAt: '2026-11-21T08:12:00.000Z',
      console: 'Switchboard 0.1.0',
      events: 48_213,
      arrived: 48_213,
      gaps: 1,
    },
  }),
})
