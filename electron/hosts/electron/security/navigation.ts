import type { App } from 'electron'

/** The window shows one page and stays on it: no navigation, no new window, no webview, whoever asks. */
export function forbidNavigation(app: App): void {
  app.on('web-contents-created', (_event, contents) => {
    const refuse = (event: { preventDefault(): void }) => event.preventDefault()
    contents.on('will-navigate', refuse)
    contents.on('will-frame-navigate', refuse)
    contents.on('will-redirect', refuse)
    contents.on('will-attach-webview', refuse)
    contents.setWindowOpenHandler(() => ({ action: 'deny' }))
  })
}
