import { useQuery } from '@tanstack/vue-query'
import { refDebounced } from '@vueuse/core'
import { computed, type Ref, shallowRef, watch } from 'vue'
import { useRpc } from '../../rpc/rpc.ts'
import { say } from '../../shared/i18n/core-texts.ts'
import { useQueryKey } from '../../shared/query/use-query-key.ts'
import { useStatusStore } from '../../shared/status/status.store.ts'
import { t } from './contacts.texts.ts'

/** Pause after the last key before the number is looked up, milliseconds. */
const restMs = 250

/** What an erasure of a number would end: its hold, and requests to it. A blocked number stays on hold unless you choose otherwise. */
export function useEraseCheck(phone: Readonly<Ref<string>>) {
  const { client } = useRpc()
  const status = useStatusStore()
  const keyOf = useQueryKey()
  const chosen = shallowRef<boolean | null>(null)
  watch(phone, () => (chosen.value = null))
  // Finding requests to a number reads the whole outbox.
  const asked = refDebounced(phone, restMs)
  const check = useQuery(() => ({
    queryKey: keyOf('contacts', 'erase-check', asked.value),
    queryFn: async ({ signal }: { signal: AbortSignal }) => {
      const region = status.connection?.country ?? null
      const { verdicts } = await client.dnc.checkOffline({ phones: [asked.value], region }, { signal })
      const verdict = verdicts[0]!
      if (verdict.phone === null) return { verdict, requests: 0 }
      const { total: requests } = await client.outbox.list(
        {
          filter: {
            text: verdict.phone,
            states: ['undoable', 'scheduled', 'queued', 'blocked', 'in-flight', 'unknown'],
            operations: ['create-contact', 'send-ott'],
          },
          limit: 1,
        },
        { signal },
      )
      return { verdict, requests }
    },
    enabled: asked.value.trim() !== '',
    gcTime: 0,
  }))

  const found = computed((): string[] => {
    if (check.isError.value) return [t('eraseDialog.unchecked')]
    if (!check.data.value) return []
    const { verdict, requests } = check.data.value
    const reason = verdict.reason ? say(verdict.reason) : ''
    const isOtherReading = typeof verdict.reason === 'object' && verdict.reason?.key.includes('.other')
    const blockedBy = { dnc: t('eraseDialog.onDnc', { reason }), hold: t('eraseDialog.onHold', { reason }) }
    const lines: string[] = []
    if (verdict.source !== 'none')
      lines.push(
        verdict.verdict === 'blocked' && !isOtherReading
          ? blockedBy[verdict.source]
          : t('eraseDialog.maybeBlocked', { reason }),
      )
    if (requests > 0) lines.push(t('eraseDialog.ends', { n: requests }))
    return lines
  })
  const isBlocked = computed(
    () => check.isError.value || (check.data.value?.verdict.source ?? 'none') !== 'none',
  )

  return {
    isPending: computed(() => check.isPending.value || asked.value !== phone.value),
    /** Starts ticked for a blocked number, and if that could not be read. */
    keepHold: computed({
      get: () => chosen.value ?? isBlocked.value,
      set: (keep) => void (chosen.value = keep),
    }),
    /** One sentence per thing found. */
    found,
  }
}
