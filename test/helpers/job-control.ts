import type { JobControl } from '#electron/jobs/run/job-control.ts'

/** The control of a job that nobody pauses or cancels, with changes. */
export const freeControl = (change: Partial<JobControl> = {}): JobControl => ({
  isPaused: false,
  cancelled: new Promise(() => {}),
  yieldToMessages: () => Promise.resolve(),
  checkpoint: () => Promise.resolve(),
  progress: () => {},
  tell: () => {},
  ...change,
})
