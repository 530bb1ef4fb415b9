import type { Appearance } from '#contract/platform/settings.ts'
import { useAttempt } from '../../rpc/use-attempt.ts'
import { useRpc } from '../../rpc/rpc.ts'
import { useTheme } from './use-theme.ts'

/** Theme, density and language. A change shows at once. If the core can't save it, it lasts until the window closes. */
export function useAppearance() {
  const { client } = useRpc()
  const { appearance } = useTheme()
  const { error, run } = useAttempt()

  async function choose(change: Partial<Appearance>): Promise<void> {
    appearance.value = { ...appearance.value, ...change }
    await run(client.settings.setAppearance(appearance.value))
  }

  return { appearance, error, choose }
}
