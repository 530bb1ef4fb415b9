import type { App } from 'electron'

/** The window stays on one page: no navigation, new window or webview. */
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
