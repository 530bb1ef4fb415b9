import type { ListenerConfig } from '#contract/live/listener.ts'
import { isLoopbackHost } from '../../shared/format/loopback.ts'
import { t } from './settings.texts.ts'

/** The listener’s address as typed: the port may not be a number yet. */
type ListenerDraft = Omit<ListenerConfig, 'port'> & { port: string }

export const toDraft = (config: ListenerConfig): ListenerDraft => ({ ...config, port: String(config.port) })

export function portProblem(typed: string): string | null {
  const text = typed.trim()
  const isPort = /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535
  return isPort ? null : t('listener.wrongPort')
}

/** The address to apply; null while the port is invalid. */
export function toConfig(draft: ListenerDraft): ListenerConfig | null {
  return portProblem(draft.port) === null ? { ...draft, port: Number(draft.port.trim()) } : null
}

/** A warning about a typed address that other computers can reach, else empty. */
export function wideWarning(typed: string): string {
  const address = typed.trim()
  return address === '' || isLoopbackHost(address) ? '' : t('listener.wide')
}
