import { computed, onScopeDispose, type Ref, shallowRef, watch } from 'vue'
import { attempt } from '../../rpc/error-view.ts'
import type { Client } from '../../rpc/rpc.ts'

/** Typing rests so long before the number is read. */
const restMs = 300
/** Digits that may be an international number whose plus was left out. */
const withoutPlus = /^[ ().\-/]*[1-9][0-9 ().\-/]*$/

/** How a number that is typed without its plus will be saved, and as what else it could be meant; nothing where there is no doubt. */
export function useSavedNumber(client: Pick<Client, 'dnc'>, phone: () => string, region: Ref<string>) {
  const told = shallowRef('')
  let timer: ReturnType<typeof setTimeout> | undefined
  let latest = 0

  async function read(typed: string, mine: number): Promise<void> {
    const international = `+${typed.replace(/\D/g, '')}`
    const phones = [typed, international]
    const answer = await attempt(client.dnc.checkOffline({ phones, region: region.value }))
    if (mine !== latest || !answer.ok) return
    const [dialled, other] = answer.value.verdicts
    if (!dialled?.phone || !other?.phone || dialled.phone === other.phone) return
    told.value = `It will be saved as ${dialled.phone}. If ${other.phone} is meant, put its plus before it.`
  }

  watch([phone, region], ([typed]) => {
    clearTimeout(timer)
    const mine = ++latest
    told.value = ''
    const text = typed.trim()
    if (withoutPlus.test(text) && text.replace(/\D/g, '').length >= 7)
      timer = setTimeout(() => void read(text, mine), restMs)
  })
  onScopeDispose(() => clearTimeout(timer))
  return computed(() => told.value)
}
