import type { ListenerConfig } from '#contract/listener.ts'
import { isLoopbackHost } from '../../shared/format/loopback.ts'

/** The listener's place as it is typed: the port is text until it is known to be a number. */
export type ListenerDraft = Omit<ListenerConfig, 'port'> & { port: string }

/** The place to begin typing from. */
export const toDraft = (config: ListenerConfig): ListenerDraft => ({ ...config, port: String(config.port) })

/** What is wrong with a typed port, or null. */
export function portProblem(typed: string): string | null {
  const text = typed.trim()
  const isPort = /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535
  return isPort ? null : 'A port is a number from 1 to 65535.'
}

/** The place to ask for; null while the port is none. */
export function toConfig(draft: ListenerDraft): ListenerConfig | null {
  return portProblem(draft.port) === null ? { ...draft, port: Number(draft.port.trim()) } : null
}

/** What it means to listen at a typed address, where others than this computer reach it; empty where they do not. */
export function wideWarning(typed: string): string {
  const address = typed.trim()
  return address === '' || isLoopbackHost(address)
    ? ''
    : 'Everybody in the network can then reach the port, not only this computer. Deliveries without a signature are refused there.'
}
