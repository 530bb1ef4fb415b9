import { useDebounceFn } from '@vueuse/core'
import { type Ref, onScopeDispose, shallowRef, watch } from 'vue'
import { useRpc } from '../../rpc/rpc.ts'
import { useStatusStore } from '../../shared/status/status.store.ts'
import { navigation } from '../features.ts'
import { t } from '../shell.texts.ts'
import type { PaletteSection } from './palette-sections.ts'

/** Shorter text matches too much; an error code may have one digit. */
const isSearchable = (text: string) => text.length >= 2 || /^\d$/.test(text)
/** Pause after the last key before a search, milliseconds. */
const restMs = 120

/** Search results of the open connection, one section per page. A page that fails is skipped: its own view says why. */
export function usePaletteSearch(text: Ref<string>) {
  const { client } = useRpc()
  const status = useStatusStore()
  const found = shallowRef<readonly PaletteSection[]>([])
  let asking = new AbortController()

  const search = useDebounceFn(async () => {
    const asked = text.value.trim()
    if (!isSearchable(asked) || !status.connection) return
    asking.abort()
    const { signal } = (asking = new AbortController())
    const sections = await Promise.all(
      navigation.map(async ({ title, search: searchPage }) => ({
        title,
        commands: (await searchPage?.(asked, client, signal).catch(() => [])) ?? [],
      })),
    )
    const texts = navigation.flatMap(({ findText }) => findText?.(asked) ?? [])
    if (!signal.aborted) found.value = [...sections, { title: t('palette.search'), commands: texts }]
  }, restMs)

  watch(text, (now) => {
    asking.abort()
    if (!isSearchable(now.trim())) found.value = []
    void search()
  })
  onScopeDispose(() => asking.abort())
  return found
}
