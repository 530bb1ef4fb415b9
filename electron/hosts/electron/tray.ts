import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import type { ContractRouterClient } from '@orpc/contract'
import { app, Menu, nativeImage, Tray } from 'electron'
import type { MessagePort } from 'node:worker_threads'
import type { Contract } from '../../contract/contract.ts'
import type { Status } from '../../contract/status.ts'
import { wireTypes } from '../../contract/wire-types.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Dispose } from '../../lib/disposable.ts'
import type { Log } from '../../lib/log.ts'
import { trayLook, type TrayState } from './tray-look.ts'

/** Side of the icon, pixels, and the circle's radius in it. */
const sidePx = 16
const radiusPx = 6
/** Blue, green, red and alpha of each state, as `createFromBitmap` takes them. */
const colours: Record<TrayState, readonly [number, number, number, number]> = {
  listening: [113, 205, 94, 255],
  trouble: [68, 170, 240, 255],
  offline: [150, 150, 150, 255],
}
/** How long after the core was lost it is asked again, milliseconds. */
const againMs = 2_000

/**
 * Puts an icon into the desktop's tray that shows whether the console listens, is in trouble, or is offline, as the core's own status
 * says. A desktop without a tray is noted and nothing else. Returns its removal.
 */
export function installTray(parts: {
  connect: () => MessagePort
  showWindow: () => void
  clock: Clock
  log: Log
}): Dispose {
  let tray: Tray
  try {
    tray = new Tray(iconOf('offline'))
  } catch (error) {
    parts.log.info('there is no tray here', { error })
    return () => {}
  }
  let shown = ''
  function show(status: Status | null): void {
    const { state, text } = trayLook(status)
    if (text === shown) return
    shown = text
    tray.setImage(iconOf(state))
    tray.setToolTip(text)
    tray.setContextMenu(
      Menu.buildFromTemplate([
        { label: text, enabled: false },
        { type: 'separator' },
        { label: 'Show Switchboard', click: parts.showWindow },
        { label: 'Quit', click: () => app.quit() },
      ]),
    )
  }
  tray.on('click', parts.showWindow)
  const stopping = new AbortController()
  void follow(parts.connect, show, parts.clock, stopping.signal)
  return () => {
    stopping.abort()
    tray.destroy()
  }
}

/** Hands on the core's status, over a port of its own, for as long as it is wanted; a core that was started anew is asked again. */
async function follow(
  connect: () => MessagePort,
  show: (status: Status | null) => void,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const port = connect()
    const lost = new AbortController()
    port.once('close', () => lost.abort())
    try {
      const rpc: ContractRouterClient<Contract> = createORPCClient(
        new RPCLink({ port, customJsonSerializers: wireTypes }),
      )
      port.start()
      const either = AbortSignal.any([signal, lost.signal])
      for await (const status of await rpc.status.watch(undefined, { signal: either })) {
        if (signal.aborted) break
        show(status)
      }
    } catch {
      // Lost with the core, which the host's log tells of; it is asked again below.
    }
    port.close()
    if (signal.aborted) return
    show(null)
    await clock.sleep(againMs, signal).catch(() => {})
  }
}

/** A filled circle: no file to ship, and the same on every desktop. */
function iconOf(state: TrayState) {
  const pixels = Buffer.alloc(sidePx * sidePx * 4)
  for (let y = 0; y < sidePx; y++)
    for (let x = 0; x < sidePx; x++) {
      const isInside = Math.hypot(x + 0.5 - sidePx / 2, y + 0.5 - sidePx / 2) <= radiusPx
      if (isInside) pixels.set(colours[state], (y * sidePx + x) * 4)
    }
  return nativeImage.createFromBitmap(pixels, { width: sidePx, height: sidePx })
}
