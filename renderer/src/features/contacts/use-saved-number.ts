import { onScopeDispose, type Ref, shallowRef, watch } from 'vue'
import { attempt } from '../../rpc/error-view.ts'
import type { Client } from '../../rpc/rpc.ts'
import { t } from './contacts.texts.ts'

/** Pause in typing before the number is read, milliseconds. */
const restMs = 300
/** Digits that may be an international number without its plus. */
const withoutPlus = /^[ ().\-/]*[1-9][0-9 ().\-/]*$/

/** How a number without a plus will be saved, if it is ambiguous; else empty. */
export function useSavedNumber(client: Pick<Client, 'dnc'>, phone: () => string, region: Ref<string | null>) {
  const note = shallowRef('')
  let timer: ReturnType<typeof setTimeout> | undefined
  let latest = 0

  async function read(typed: string, mine: number): Promise<void> {
    const international = `+${typed.replace(/\D/g, '')}`
    const phones = [typed, international]
    const answer = await attempt(client.dnc.checkOffline({ phones, region: region.value }))
    if (mine !== latest || !answer.ok) return
    const [dialled, other] = answer.value.verdicts
    if (!dialled?.phone || !other?.phone || dialled.phone === other.phone) return
    note.value = t('form.savedAs', { phone: dialled.phone, other: other.phone })
  }

  watch([phone, region], ([typed]) => {
    clearTimeout(timer)
    const mine = ++latest
    note.value = ''
    const text = typed.trim()
    if (withoutPlus.test(text) && text.replace(/\D/g, '').length >= 7)
      timer = setTimeout(() => void read(text, mine), restMs)
  })
  onScopeDispose(() => clearTimeout(timer))
  return note
}
