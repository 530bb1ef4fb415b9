/** Time in which an action may remove the focused control, milliseconds. */
const controlGoesMs = 200

/** After an action that may remove the focused control: the drawer or the page takes the focus, which would start again at the top. */
export function keepFocus(): void {
  requestAnimationFrame(takeLost)
  setTimeout(takeLost, controlGoesMs)
}

function takeLost(): void {
  if (document.activeElement !== document.body) return
  const place = document.querySelector<HTMLElement>('aside.drawer') ?? document.getElementById('content')
  place?.focus({ preventScroll: true })
}
