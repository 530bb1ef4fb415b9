import { AppError } from '../../contract/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { createSerial } from '../../lib/serial.ts'
import type { KeychainAnswer, KeychainChannel, KeychainQuestion } from './channel.ts'
import { keychainFault } from './keychain-errors.ts'

/** Asks one question. Rejects with a `KEYCHAIN_*` AppError. */
export type Ask = (question: KeychainQuestion) => Promise<string | boolean | null>

interface Child {
  channel: KeychainChannel
  /** The task it was started for. */
  startedFor: Task
  /** The open question. */
  waiting: { id: number; resolve(answer: KeychainAnswer): void; reject(reason: Error): void } | null
}

interface Task {
  timeout: AppError | null
  hasRestarted: boolean
}

function isAnswer(message: unknown): message is KeychainAnswer {
  return typeof message === 'object' && message !== null && 'id' in message && 'ok' in message
}

/**
 * Starts the process on demand, runs tasks one at a time, and judges its answers. A process that hung,
 * crashed or failed is replaced: keytar keeps its bus connection, so after a restart of the keychain daemon
 * every later call fails (measured in test/integration/hosts/keychain). One restart per task, for a crash or for a
 * failure of an older process.
 */
export function createKeychainCaller(options: {
  spawn: () => KeychainChannel
  service: string
  clock: Clock
  log: Log
  deadlineMs: number
}) {
  const { spawn, service, clock, log, deadlineMs } = options
  const living = new Set<Child>()
  let child: Child | null = null
  let nextId = 1
  const serial = createSerial()
  let isStopped = false
  let onAllExited = () => {}

  function start(task: Task): Child {
    const started: Child = { channel: spawn(), startedFor: task, waiting: null }
    living.add(started)
    started.channel.onMessage((message) => {
      const waiting = started.waiting
      if (!waiting || !isAnswer(message) || message.id !== waiting.id) return
      started.waiting = null
      waiting.resolve(message)
    })
    started.channel.onExit(() => {
      living.delete(started)
      if (child === started) child = null
      started.waiting?.reject(new Error('The keychain process ended'))
      if (living.size === 0) onAllExited()
    })
    return started
  }

  function discard(): void {
    const discarded = child
    child = null
    discarded?.waiting?.reject(new Error('The keychain process was ended'))
    discarded?.channel.kill()
  }

  function exchange(to: Child, question: KeychainQuestion): Promise<KeychainAnswer> {
    return new Promise((resolve, reject) => {
      const id = nextId++
      to.waiting = { id, resolve, reject }
      to.channel.post({ ...question, id, service })
    })
  }

  /** One attempt: the value, or the error and whether a new process may do better. */
  async function attempt(
    task: Task,
    question: KeychainQuestion,
  ): Promise<{ value: string | boolean | null } | { error: AppError; mayRetry: boolean }> {
    try {
      child ??= start(task)
      const current = child
      const answer = await exchange(current, question)
      if (answer.ok) return { value: answer.value }
      discard()
      return { error: keychainFault(answer.text), mayRetry: current.startedFor !== task }
    } catch (cause) {
      discard()
      return { error: new AppError('KEYCHAIN_CRASHED', {}, { cause }), mayRetry: true }
    }
  }

  const askFor =
    (task: Task): Ask =>
    async (question) => {
      for (;;) {
        if (task.timeout) throw task.timeout
        const outcome = await attempt(task, question)
        if (task.timeout) throw task.timeout
        if ('value' in outcome) return outcome.value
        if (task.hasRestarted || !outcome.mayRetry) throw outcome.error
        task.hasRestarted = true
        log.warn('Restarting the keychain process', { code: outcome.error.code })
      }
    }

  return {
    /** Rejects with a `KEYCHAIN_*` AppError, at most `deadlineMs` after this call, waiting included. */
    run<T>(work: (ask: Ask) => Promise<T>): Promise<T> {
      if (isStopped) return Promise.reject(new AppError('KEYCHAIN_CRASHED'))
      const task: Task = { timeout: null, hasRestarted: false }
      let isRunning = false
      const expired = Promise.withResolvers<never>()
      const cancel = clock.after(deadlineMs, () => {
        task.timeout = new AppError('KEYCHAIN_TIMEOUT')
        expired.reject(task.timeout)
        if (isRunning) discard()
      })
      const done = serial(async () => {
        if (task.timeout) throw task.timeout
        isRunning = true
        try {
          return await work(askFor(task))
        } finally {
          isRunning = false
          cancel()
        }
      })
      return Promise.race([done, expired.promise])
    },
    /** Finishes running calls, then ends the process and waits for it. */
    async stop(): Promise<void> {
      isStopped = true
      await serial(async () => {})
      if (living.size === 0) return
      const exited = new Promise<void>((resolve) => (onAllExited = resolve))
      discard()
      await exited
    },
  }
}
