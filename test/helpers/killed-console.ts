import { type ChildProcess, fork, type Serializable } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'

/** A console in its own process, to kill and start again. `Message`: what the program `file` sends. */
export function startKilledConsole<Message extends { kind: string }>(file: string, args: readonly string[]) {
  const start = (): ChildProcess => fork(file, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  let child = start()
  let untilKill = Infinity
  const kill = () => void child.kill('SIGKILL')
  onTestFinished(kill)

  return {
    kill,
    /** Starts it again once it has ended. */
    async restart(): Promise<void> {
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      child = start()
    },
    /** Plans a kill during the request that comes after this many. */
    killAfter(requests: number) {
      untilKill = requests
    },
    /** Counts a request; the planned kill follows after `delayMs`. */
    countRequest(delayMs: () => number) {
      if (--untilKill >= 0) return
      untilKill = Infinity
      setTimeout(kill, delayMs())
    },
    send: (message: Serializable) => void child.send(message),
    /** The next message of this kind that fits. Rejects when the console ends before it. */
    next<Kind extends Message['kind']>(
      kind: Kind,
      fits: (message: Extract<Message, { kind: Kind }>) => boolean = () => true,
    ): Promise<Extract<Message, { kind: Kind }>> {
      const { promise, resolve, reject } = Promise.withResolvers<Extract<Message, { kind: Kind }>>()
      const sender = child
      const isWanted = (message: Message): message is Extract<Message, { kind: Kind }> =>
        message.kind === kind && fits(message as Extract<Message, { kind: Kind }>)
      const onMessage = (message: Message) => {
        if (isWanted(message)) resolve(message)
      }
      const onExit = () => reject(new Error('the console ended'))
      sender.on('message', onMessage).on('exit', onExit)
      return promise.finally(() => sender.off('message', onMessage).off('exit', onExit))
    },
  }
}
