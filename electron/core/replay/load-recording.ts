import type { Replay } from '../../contract/replay.ts'
import type { RecordingVerdict } from '../../contract/recorder.ts'
import { stepsOf } from '../../lib/steps-of.ts'
import type { FileStore } from '../platform/files/file-store.ts'
import type { RecorderService } from '../recorder/recorder.service.ts'
import type { ReplayService } from './replay.service.ts'

/** How far a file is on its way into a replay, and what became of it. */
export type LoadStep =
  | { kind: 'checking' | 'loading'; doneBytes: number; totalBytes: number }
  | { kind: 'refused'; verdict: RecordingVerdict }
  | { kind: 'started'; replay: Replay }

/** Checks a file that was handed in and, when it is whole, begins a replay of it. Gives it up when `signal` aborts. */
export async function* loadRecording(
  parts: {
    recorder: Pick<RecorderService, 'verify'>
    files: Pick<FileStore, 'whole'>
    replay: Pick<ReplayService, 'load'>
  },
  { fileId, speed, skipQuiet }: { fileId: string; speed: Replay['speed']; skipQuiet: boolean },
  signal: AbortSignal,
): AsyncGenerator<LoadStep, void> {
  for await (const step of parts.recorder.verify(fileId, signal)) {
    if (step.kind === 'reading') {
      yield { ...step, kind: 'checking' }
      continue
    }
    const { verdict, chain } = step
    if (verdict.kind !== 'whole' || chain === null) {
      yield { kind: 'refused', verdict }
      return
    }
    const { fingerprint, signedBy, head } = verdict
    const recording = { connection: head.connection, fingerprint, signedBy }
    const { path } = parts.files.whole(fileId)
    const replay = yield* stepsOf(
      (onStep: (step: LoadStep) => void) =>
        parts.replay.load(
          { path, chain, recording, speed, skipQuiet },
          (doneBytes, totalBytes) => onStep({ kind: 'loading', doneBytes, totalBytes }),
          signal,
        ),
      signal,
    )
    if (replay !== null) yield { kind: 'started', replay }
  }
}
