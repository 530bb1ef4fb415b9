import { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import { toChromium } from './address.ts'
import type { CdpSession } from './cdp.ts'
import { createCodec } from './codec.ts'
import type { FrameTree } from './frames.ts'
import { loud, problem } from './loud.ts'
import { mainWorld } from './main-world.ts'
import { MessagePortMain, type PipeEnd } from './ports.ts'
import { type FromPreload, preloadWorld, type PreloadWorldConfig, type ToPreload } from './preload-world.ts'
import { declaredSchemes } from './session.ts'
import { noteUse } from './uses.ts'

/** Electron’s own name for it. */
const worldName = 'Electron Isolated Context'
const codec = createCodec()

/** Where preloads’ messages arrive. Electron’s is an emitter too, and also has `handle`. */
export const ipcMain = loud('IpcMain', new EventEmitter())

/** The connection between the main process and the preload of one page. */
export interface PageIpc {
  /** Prepares a target of the page: its main frame, or a frame in another process. */
  prepare(session: CdpSession): Promise<void>
  /** `webFrameMain.postMessage`. Without a preload in that frame it is lost, as in Electron. */
  post(frameId: string, channel: string, message: unknown, transfer: unknown[]): void
  /** Drops the state of documents that ended with their process. */
  reset(): void
}

interface World {
  session: CdpSession
  contextId: number
  /** Never reused, while `contextId` restarts with a new process. */
  uniqueId: string
  frameId: string
  ports: Map<number, PipeEnd>
}

/** Runs `preload` in an isolated world of every new document of the page and carries its IPC. */
export function createPageIpc(options: {
  preload: string | undefined
  frames: () => FrameTree
  contents: () => { emit(event: string, ...args: unknown[]): boolean }
}): PageIpc {
  const worlds = new Set<World>()
  const secret = crypto.randomUUID()
  const config: PreloadWorldConfig = {
    secret,
    binding: '__electronDoubleToNode',
    inbox: '__electronDoubleFromNode',
    origins: [...declaredSchemes()].map((scheme) => ({
      from: `${scheme}://console`,
      to: new URL(toChromium(`${scheme}://console/`, declaredSchemes())).origin,
    })),
    platform: process.platform,
    versions: { electron: process.versions['electron'] ?? '' },
  }
  let lastPort = 0

  const worldOf = (session: CdpSession, contextId: number) =>
    [...worlds].find((world) => world.session === session && world.contextId === contextId)

  function drop(world: World): void {
    worlds.delete(world)
    const open = [...world.ports.values()]
    // Emptied first, so that a removed document is not notified of their closing.
    world.ports.clear()
    for (const port of open) port.close()
  }

  function tell(world: World, message: ToPreload): void {
    const expression = `${config.inbox}(${JSON.stringify(JSON.stringify(message))})`
    world.session.send('Runtime.evaluate', { expression, uniqueContextId: world.uniqueId }).then(
      ({ exceptionDetails }) => {
        if (exceptionDetails)
          problem(`a preload threw: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`)
      },
      () => {
        // The document is gone by now.
      },
    )
  }

  /** Gives the far end of `port` to a document. */
  function bind(world: World, port: PipeEnd): number {
    const id = ++lastPort
    world.ports.set(id, port)
    port.receive({
      message(data) {
        try {
          tell(world, { kind: 'port-message', port: id, data: codec.encode(data) })
        } catch (error) {
          problem(String(error))
        }
      },
      close() {
        if (world.ports.delete(id)) tell(world, { kind: 'port-close', port: id })
      },
    })
    return id
  }

  function receive(world: World, message: FromPreload): void {
    const frame = options.frames().get(world.frameId)
    if (message.kind === 'ipc') {
      const event = loud('IpcMainEvent', {
        type: 'frame',
        sender: options.contents(),
        senderFrame: frame,
        ports: [],
        processId: 1,
        frameId: frame?.frameTreeNodeId ?? -1,
      })
      ipcMain.emit(message.channel, event, ...(codec.decode(message.data) as unknown[]))
    } else if (message.kind === 'port-message')
      world.ports.get(message.port)?.post(codec.decode(message.data))
    else if (message.kind === 'port-close') {
      const port = world.ports.get(message.port)
      world.ports.delete(message.port)
      port?.close()
    } else if (message.kind === 'preload-error') {
      const error = Object.assign(new Error(message.message), { stack: message.stack })
      problem(`the preload failed: ${message.stack}`)
      options.contents().emit('preload-error', {}, options.preload, error)
    } else if (message.kind === 'used') noteUse(message.name)
    else problem(message.text)
  }

  return {
    async prepare(session) {
      session.on('Runtime.executionContextCreated', ({ context }) => {
        const { frameId, isDefault } = context.auxData as unknown as { frameId: string; isDefault: boolean }
        if (isDefault) options.frames().setOrigin(frameId, context.origin)
        if (context.name !== worldName) return
        // A new document of the frame: the previous one receives nothing more, even if its end is reported later.
        for (const world of worlds) if (world.frameId === frameId) drop(world)
        worlds.add({ session, contextId: context.id, uniqueId: context.uniqueId, frameId, ports: new Map() })
      })
      session.on('Runtime.executionContextDestroyed', ({ executionContextId }) => {
        const world = worldOf(session, executionContextId)
        if (world) drop(world)
      })
      session.on('Runtime.executionContextsCleared', () => {
        for (const world of worlds) if (world.session === session) drop(world)
      })
      session.on('Runtime.bindingCalled', ({ name, payload, executionContextId }) => {
        if (name !== config.binding) return
        const world = worldOf(session, executionContextId)
        if (world) receive(world, JSON.parse(payload) as FromPreload)
        else problem(`a message came from a document that is gone: ${payload.slice(0, 100)}`)
      })
      await session.send('Runtime.addBinding', { name: config.binding, executionContextName: worldName })
      await session.send('Page.addScriptToEvaluateOnNewDocument', {
        source: `(${mainWorld.toString()})(${JSON.stringify({ secret })})`,
      })
      if (options.preload === undefined) return
      const body = readFileSync(options.preload, 'utf8')
      await session.send('Page.addScriptToEvaluateOnNewDocument', {
        worldName,
        source: `(${preloadWorld.toString()})(${JSON.stringify(config)}, ${createCodec.toString()},
          function (require, process, exports, module, Buffer, global, setImmediate, clearImmediate) {\n${body}\n})`,
      })
    },
    post(frameId, channel, message, transfer) {
      const data = codec.encode([message])
      const given = transfer.map((each) => {
        if (!(each instanceof MessagePortMain)) throw new TypeError('Port at index 0 is not a valid port')
        return each.give()
      })
      const world = [...worlds].find((each) => each.frameId === frameId)
      if (!world) return given.forEach((port) => port.close())
      const ports = given.map((port) => bind(world, port))
      tell(world, { kind: 'ipc', channel, data, ports })
    },
    reset() {
      for (const world of worlds) drop(world)
    },
  }
}
