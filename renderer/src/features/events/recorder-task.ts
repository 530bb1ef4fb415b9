/** What the flight recorder is asked for. `around` is when the event in use arrived, ISO time. */
export type RecorderTask = { kind: 'replay'; around: string | null } | { kind: 'record' } | { kind: 'check' }
