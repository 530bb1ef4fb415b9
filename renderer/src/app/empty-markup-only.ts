/** The part of W3C Trusted Types used here. Not every browser has it. */
interface TrustedTypes {
  createPolicy(name: string, rules: { createHTML(markup: string): string | null }): unknown
}

// The page’s policy blocks turning text into markup, except `innerHTML = ''`, which the chart library uses to clear its element.
const { trustedTypes } = window as { trustedTypes?: TrustedTypes }
trustedTypes?.createPolicy('default', { createHTML: (markup) => (markup === '' ? markup : null) })
