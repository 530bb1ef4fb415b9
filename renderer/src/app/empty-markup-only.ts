/** The part of Trusted Types used here; not every browser has it (W3C Trusted Types). */
interface TrustedTypes {
  createPolicy(name: string, rules: { createHTML(markup: string): string | null }): unknown
}

// The page's policy lets no text become markup. The chart library empties its element by `innerHTML = ''`: that alone is allowed.
const { trustedTypes } = window as { trustedTypes?: TrustedTypes }
trustedTypes?.createPolicy('default', { createHTML: (markup) => (markup === '' ? markup : null) })
