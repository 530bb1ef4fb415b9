/**
 * Gives every `<style>` that a library adds at run time the nonce of the page’s Content-Security-Policy, which blocks all others. The
 * host writes the nonce into `<meta name="csp-nonce">`. naive-ui and its css-render have no option for it (measured in a browser: 21
 * blocked styles without, none with this).
 */
export function allowLibraryStyles(page: Document): void {
  const nonce = page.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content
  if (!nonce) return
  const createElement = page.createElement.bind(page)
  page.createElement = ((name: string, options?: ElementCreationOptions) => {
    const element = createElement(name, options)
    if (name.toLowerCase() === 'style') element.nonce = nonce
    return element
  }) as Document['createElement']
}
