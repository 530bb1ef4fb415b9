import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { AppError } from '../../../contract/errors.ts'
import type { Gap } from '../../../contract/live/events.ts'
import type { SigningKey, Verdict } from '../../../contract/live/signed-exports.ts'
import {
  closingLine,
  signedExportFormat,
  signedExportVersion,
  signedText,
} from '../../../jobs/signed-exports/signed-export-format.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import type { EventsService } from '../events/events.service.ts'
import { overlaps } from '../events/gaps.ts'
import type { Projector } from '../events/projector.ts'
import { readTime } from '../events/read-time.ts'
import type { FileStore } from '../../platform/files/file-store.ts'
import type { SecretStore } from '../../ports.ts'
import { type ReadingStep, readInSteps, runTaskJob } from '../../platform/tasks/job-runner.ts'
import { createSigningKeys } from './signing-key.ts'
import type { PlatformParts } from '../../platform/parts.ts'

type VerifyStep = ReadingStep | { kind: 'verdict'; verdict: Verdict }

export type SignedExportsService = ReturnType<typeof createSignedExportsService>

interface Payload {
  fileId: string
  fromMs: number
  toMs: number
  version: string
}

/** The contract's maximum: the file lists every gap of its period. */
const gapDaysMax = 400

/** Signed exports and their verification. Shapes as in the contract. */
export function createSignedExportsService(
  parts: Pick<PlatformParts, 'jobFiles' | 'connection' | 'tasks' | 'settings' | 'clock'> & {
    journalFile: string
    gaps: EventsService['gaps']
    events: Pick<Projector, 'highestSeq' | 'whenComplete'>
    store: FileStore
    secrets: SecretStore
  },
) {
  const { store, tasks, clock, jobFiles, journalFile } = parts
  const keys = createSigningKeys(parts)

  function gapsOf(fromMs: number, toMs: number): Gap[] {
    return parts
      .gaps({ days: gapDaysMax })
      .gaps.filter((gap) => overlaps(gap, fromMs, toMs))
      .reverse()
  }

  tasks.define<Payload>('signed-export', {
    unit: 'rows',
    canPause: true,
    resumable: true,
    async run(context) {
      const { fileId, fromMs, toMs, version } = context.payload
      await parts.events.whenComplete(context.signal)
      const upToSeq = parts.events.highestSeq()
      const signer = await keys.signer()
      const { name, baseUrl } = parts.connection()
      const target = store.path(fileId)
      const { events, sha256 } = await runTaskJob(
        {
          ...jobFiles,
          job: 'signed-export',
          target,
          journalFile,
          header: {
            format: signedExportFormat,
            version: signedExportVersion,
            connection: name,
            service: baseUrl,
            from: isoTime(fromMs),
            to: isoTime(toMs),
            made_at: isoTime(clock.now()),
            console: `Switchboard ${version}`,
          },
          signer: {
            public_key: signer.publicKey.toString('base64'),
            gaps: gapsOf(fromMs, toMs).map(({ from, to, proven, reason }) => ({ from, to, proven, reason })),
          },
          fromMs,
          toMs,
          upToSeq,
        },
        context,
      )
      // Signed here: the private key never leaves this thread.
      append(target, `${closingLine(events, signer.sign(signedText(sha256, events)))}\n`)
      store.finish(fileId)
      context.report({ done: events, total: events, counts: { events } })
    },
  })

  return {
    key: () => ({ key: keys.about() }),

    /** Throws INVALID_INPUT, SIGNING_KEY_UNREADABLE. `version` is Switchboard's. */
    async export(
      { from, to }: { from: string; to: string },
      version: string,
    ): Promise<{ taskId: string; key: SigningKey }> {
      const fromMs = Math.floor(readTime('from', from) / 1_000) * 1_000
      const toMs = Math.ceil(readTime('to', to) / 1_000) * 1_000
      if (toMs <= fromMs) throw new AppError('INVALID_INPUT', { detail: { key: 'input.periodEmpty' } })
      // Fails before a task starts.
      const { about } = await keys.signer()
      const name = `signed-export-${isoTime(fromMs).slice(0, 16).replaceAll(/[-:]/g, '')}.ndjson`
      const { fileId } = store.create(name)
      const payload: Payload = { fileId, fromMs, toMs, version }
      return {
        taskId: tasks.start('signed-export', { subject: name, payload, refId: fileId }).id,
        key: about,
      }
    },

    /** Stops when `signal` aborts. */
    async *verify({ fileId }: { fileId: string }, signal: AbortSignal): AsyncGenerator<VerifyStep, void> {
      const { path } = store.complete(fileId)
      const found = yield* readInSteps({ job: 'signed-export-verify', file: path }, signal)
      if (found === null) return
      yield {
        kind: 'verdict',
        verdict: found.kind === 'valid' ? { ...found, signedBy: signedBy(found.fingerprint) } : found,
      }
    },
  }

  function signedBy(fingerprint: string): 'this-console' | 'earlier-key' | 'another-key' {
    const own = keys.about()
    if (own?.fingerprint === fingerprint) return 'this-console'
    return own?.earlier.includes(fingerprint) ? 'earlier-key' : 'another-key'
  }
}

/** Appends the last line and syncs it to disk. */
function append(file: string, text: string): void {
  const fd = openSync(file, 'a')
  try {
    for (let rest = Buffer.from(text); rest.length > 0;) rest = rest.subarray(writeSync(fd, rest))
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
