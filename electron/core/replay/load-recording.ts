import type { Replay } from '../../contract/replay.ts'
import type { RecordingVerdict } from '../../contract/recorder.ts'
import type { FileStore } from '../files/file-store.ts'
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
    const recording = { connection: head.connection, madeAt: head.madeAt, fingerprint, signedBy }
    const { path } = parts.files.whole(fileId)
    let progress: LoadStep | null = null
    let wake = () => {}
    let isOver = false
    const loading = parts.replay.load(
      { path, chain, recording, speed, skipQuiet },
      (doneBytes, totalBytes) => {
        progress = { kind: 'loading', doneBytes, totalBytes }
        wake()
      },
      signal,
    )
    const over = () => {
      isOver = true
      wake()
    }
    loading.then(over, over)
    while (!isOver) {
      if (progress) {
        const told: LoadStep = progress
        progress = null
        yield told
      } else await new Promise<void>((resolve) => (wake = resolve))
    }
    if (signal.aborted) return
    yield { kind: 'started', replay: await loading }
  }
}
