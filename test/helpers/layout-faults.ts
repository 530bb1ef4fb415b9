/**
 * Keeps text that is in no catalogue: messages from the core, names of regions, days and months. Runs in the page, before its own scripts.
 */
export function keepMessages(): void {
  const page = window as unknown as { received: string }
  const regions = new Intl.DisplayNames('en-GB', { type: 'region' })
  const codes = Array.from({ length: 676 }, (_, at) => String.fromCharCode(65 + at / 26, 65 + (at % 26)))
  const days = Array.from({ length: 365 }, (_, at) => new Date(2026, 0, at).toDateString())
  page.received = [codes, codes.map((code) => regions.of(code)), days].join()
  window.WebSocket = class extends WebSocket {
    constructor(...args: ConstructorParameters<typeof WebSocket>) {
      super(...args)
      this.addEventListener('message', ({ data }) => (page.received += String(data)))
    }
  }
}

/** Faults of the page as it is shown now, one line each. Runs in the page. */
export function findFaults(marks: { start: string; end: string }): string[] {
  const faults = new Set<string>()
  const { received } = window as unknown as { received: string }
  const root = document.querySelector('[role=dialog][aria-modal=true]') ?? document.body
  const isShown = (element: Element) =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
  const isSeen = (element: Element) => isShown(element) && !element.closest('.visually-hidden, [inert]')

  const texts: { text: string; element: HTMLElement; box: DOMRect }[] = []
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.nodeValue!.trim()
    if (text === '' || !isShown(node.parentElement!)) continue
    const range = document.createRange()
    range.selectNodeContents(node)
    texts.push({ text, element: node.parentElement!, box: range.getBoundingClientRect() })
  }

  // Untranslated: words outside every mark that did not come from the core.
  const marked = new RegExp(`${marks.start}[^${marks.start}${marks.end}]*${marks.end}`, 'g')
  const units = /\b\d[\d.,:]* ?(ms|s|min|h|d|bytes|[KMG]i?B)\b(\/min)?/g
  const names = /\b(Switchboard|Slack|English|Español|PNG|CSV|Excel)\b/g
  const inert =
    'time, [title$=UTC], code, pre, kbd, svg, canvas, script, style, [translate=no], .n-base-loading'
  function isTranslated(text: string): boolean {
    if (received.includes(text)) return true
    let rest = text
    for (let last = ''; last !== rest;) [last, rest] = [rest, rest.replaceAll(marked, '')]
    const words = rest
      .replaceAll(units, '')
      .replaceAll(names, '')
      .split(/[\n"\\=+·,:|()/…\d]+/)
    // A field splits its sentence: the parts are recognised by their accents.
    const isForeign = (word: string) => /\u0301/.test(word.normalize('NFD')) || received.includes(word.trim())
    return words.every((word) => !/\p{L}{2}/u.test(word) || isForeign(word))
  }
  for (const { text, element } of texts)
    if (!element.closest(inert) && !isTranslated(text)) faults.add(`untranslated: “${text}”`)
  for (const name of ['aria-label', 'title', 'placeholder', 'alt'])
    for (const element of root.querySelectorAll(`[${name}]`)) {
      const text = element.getAttribute(name)!
      if (isShown(element) && !element.closest(inert) && !isTranslated(text))
        faults.add(`untranslated ${name}: “${text}”`)
    }

  // A time of day without UTC on hover. Data, and times in UTC such as `2026-11-20 14:00`, stay as they are.
  for (const { text, element } of texts)
    if (/\b\d\d:\d\d\b/.test(text) && !/^\d{4}-/.test(text) && !received.includes(text))
      if (!element.closest('pre, [title*=UTC]')) faults.add(`no UTC: “${text}”`)

  // Cut off, with neither an ellipsis nor the whole text on hover.
  for (const { text, element, box } of texts) {
    let holder: Element | null = element
    while (holder && getComputedStyle(holder).overflowX === 'visible') holder = holder.parentElement
    if (!holder || !isSeen(element) || box.width === 0) continue
    const { overflowX, textOverflow } = getComputedStyle(holder)
    const edge = holder.getBoundingClientRect()
    if (/auto|scroll/.test(overflowX) || (box.right <= edge.right + 1.5 && box.left >= edge.left - 1.5))
      continue
    if (textOverflow !== 'ellipsis' && !element.closest('[title]')) faults.add(`cut off: “${text}”`)
  }

  // Larger than its box: a grid that scrolls sideways, a panel whose content hangs out.
  for (const box of root.querySelectorAll('[role=grid], .panel')) {
    const name = box.getAttribute('aria-label') ?? box.querySelector('h2')?.textContent
    if (!isSeen(box)) continue
    if (box.scrollWidth > box.clientWidth + 1) faults.add(`too wide: “${name}”`)
    if (getComputedStyle(box).overflowY === 'visible' && box.scrollHeight > box.clientHeight + 1)
      faults.add(`too tall: “${name}”`)
  }

  // Overlapping: fields, and the texts of buttons and links, whose paddings may hold another button.
  /** What the ancestors of a box leave visible. */
  function inSight(from: Element | null, { left, top, right, bottom }: DOMRect): DOMRect {
    for (let each = from; each; each = each.parentElement) {
      const { overflowX, overflowY, position } = getComputedStyle(each)
      const edge = each.getBoundingClientRect()
      if (overflowX !== 'visible') [left, right] = [Math.max(left, edge.left), Math.min(right, edge.right)]
      if (overflowY !== 'visible') [top, bottom] = [Math.max(top, edge.top), Math.min(bottom, edge.bottom)]
      if (position === 'fixed') break
    }
    return new DOMRect(left, top, Math.max(0, right - left), Math.max(0, bottom - top))
  }
  const interactive = 'button, a[href], input, textarea, [role=combobox], [role=checkbox]'
  const parts = [...root.querySelectorAll<HTMLElement>(interactive)]
    .filter((control) => isSeen(control) && !control.closest('[aria-hidden=true]'))
    .flatMap((control) => {
      const layer = control.closest('[role=dialog], [popover], aside') ?? root
      const own = texts.filter(({ element }) => control.contains(element) && isSeen(element))
      const boxes =
        own.length > 0
          ? own.map(({ element, box }) => inSight(element, box))
          : [inSight(control.parentElement, control.getBoundingClientRect())]
      return boxes.map((box) => ({ control, layer, box }))
    })
    .filter(({ box }) => box.width > 2 && box.height > 2)
  const nameOf = ({ control }: (typeof parts)[number]) =>
    control.getAttribute('aria-label') ?? (control.textContent.trim() || control.className)
  for (const [at, a] of parts.entries())
    for (const b of parts.slice(at + 1)) {
      if (a.layer !== b.layer || a.control.contains(b.control) || b.control.contains(a.control)) continue
      const width = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left)
      const height = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top)
      if (width > 2 && height > 2) faults.add(`overlapping: “${nameOf(a)}” and “${nameOf(b)}”`)
    }
  return [...faults]
}
