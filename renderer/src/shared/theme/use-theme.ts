import { createSharedComposable, useLocalStorage, usePreferredDark } from '@vueuse/core'
import { darkTheme } from 'naive-ui'
import type { Appearance } from '#contract/platform/settings.ts'
import { computed, watchEffect } from 'vue'
import { appearanceKey } from '../i18n/locale.ts'
import { type Scheme, cssVariables, densities, naiveOverrides, palettes } from './tokens.ts'

/** The look of this window, shared by all. Writes the tokens to the document as CSS custom properties. */
export const useTheme = createSharedComposable(() => {
  // The operator’s choice: setting it changes the look at once. Remembered, so that the next start shows it before the core responds.
  const appearance = useLocalStorage<Appearance>(
    appearanceKey,
    { theme: 'system', density: 'compact', language: 'system' },
    { mergeDefaults: true, listenToStorageChanges: false },
  )
  const prefersDark = usePreferredDark()
  const scheme = computed<Scheme>(() => {
    const { theme } = appearance.value
    if (theme !== 'system') return theme
    return prefersDark.value ? 'dark' : 'light'
  })
  watchEffect(() => {
    const root = document.documentElement
    root.dataset['scheme'] = scheme.value
    root.style.colorScheme = scheme.value
    const variables = cssVariables(scheme.value, appearance.value.density)
    for (const [name, value] of Object.entries(variables)) root.style.setProperty(name, value)
  })
  return {
    appearance,
    scheme,
    palette: computed(() => palettes[scheme.value]),
    rowHeightPx: computed(() => densities[appearance.value.density].rowHeightPx),
    naiveTheme: computed(() => (scheme.value === 'dark' ? darkTheme : null)),
    naiveThemeOverrides: computed(() => naiveOverrides(scheme.value, appearance.value.density)),
  }
})
