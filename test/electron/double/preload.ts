import type { CDPSession } from '@playwright/test'
import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import type { MessagePort } from 'node:worker_threads'
import { toChromium, toElectron } from './address.ts'
import type { MessagePortMain } from './ports.ts'
import {
  type FromPreload,
  mainWorld,
  preloadWorld,
  type ToPreload,
  type WorldConfig,
} from './preload-world.ts'
import { problem } from './problems.ts'

export const ipcMain = new EventEmitter()

const worldName = 'preload'
const origin = (url: string) => new URL(url).origin

/** The preload’s world in one document of the page. */
interface World {
  id: number
  uniqueId: string
  origin: string
  ports: Map<number, MessagePort>
}

/** Runs the preload in an isolated world of each document of the page’s main frame, and carries its IPC. `sender` is its web contents. */
export async function runPreload(page: CDPSession, file: string, sender: object): Promise<void> {
  const secret = randomUUID()
  const config: WorldConfig = {
    secret,
    binding: '__electronDoubleToNode',
    inbox: '__electronDoubleFromNode',
    origin: { from: 'app://console', to: origin(toChromium('app://console/')) },
  }
  let world: World | null = null
  let lastPort = 0

  function leave(): void {
    const { ports } = world ?? { ports: new Map<number, MessagePort>() }
    // A document that is gone receives nothing more.
    world = null
    for (const port of ports.values()) port.close()
  }

  function tell(to: World, message: ToPreload): void {
    if (to !== world) return
    const expression = `${config.inbox}(${JSON.stringify(JSON.stringify(message))})`
    page.send('Runtime.evaluate', { expression, uniqueContextId: to.uniqueId } as never).catch(() => {})
  }

  /** Gives the far end of a port to a document. */
  function bind(to: World, { end }: MessagePortMain): number {
    const port = ++lastPort
    to.ports.set(port, end)
    end.on('message', (data) => tell(to, { kind: 'port-message', port, data }))
    end.on('close', () => {
      if (to.ports.delete(port)) tell(to, { kind: 'port-close', port })
    })
    return port
  }

  function receive(from: World, message: FromPreload): void {
    if (message.kind === 'ipc') {
      const senderFrame = {
        parent: null,
        origin: from.origin,
        postMessage: (channel: string, _message: null, ports: MessagePortMain[]) =>
          tell(from, { kind: 'ipc', channel, ports: ports.map((port) => bind(from, port)) }),
      }
      ipcMain.emit(message.channel, { sender, senderFrame })
    } else if (message.kind === 'port-message') from.ports.get(message.port)?.postMessage(message.data)
    else if (message.kind === 'port-close') from.ports.get(message.port)?.close()
    else problem(message.text)
  }

  await page.send('Page.enable')
  const { frameTree } = await page.send('Page.getFrameTree')
  page.on('Runtime.executionContextCreated', ({ context }) => {
    const { frameId } = context.auxData as unknown as { frameId: string }
    if (context.name !== worldName || frameId !== frameTree.frame.id) return
    leave()
    const { id, uniqueId } = context
    world = { id, uniqueId, origin: toElectron(context.origin), ports: new Map() }
  })
  page.on('Runtime.executionContextDestroyed', ({ executionContextId }) => {
    if (world?.id === executionContextId) leave()
  })
  page.on('Runtime.executionContextsCleared', leave)
  page.on('Runtime.bindingCalled', ({ name, payload, executionContextId }) => {
    if (name === config.binding && world?.id === executionContextId)
      receive(world, JSON.parse(payload) as FromPreload)
  })
  await page.send('Runtime.enable')
  await page.send('Runtime.addBinding', { name: config.binding, executionContextName: worldName })
  await page.send('Page.addScriptToEvaluateOnNewDocument', {
    source: `(${mainWorld.toString()})(${JSON.stringify(config)})`,
  })
  await page.send('Page.addScriptToEvaluateOnNewDocument', {
    worldName,
    source: `(${preloadWorld.toString()})(${JSON.stringify(config)}, function (require) {\n${readFileSync(file, 'utf8')}\n})`,
  })
}
