import type { WebPreferences } from 'electron'

/**
 * States every security preference, defaults included, so a changed default shows. Source: Electron's
 * security checklist and `structures/web-preferences`.
 */
export function secureWebPreferences(preload: string, packaged: boolean): WebPreferences {
  return {
    preload,
    contextIsolation: true,
    sandbox: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    webSecurity: true,
    allowRunningInsecureContent: false,
    experimentalFeatures: false,
    webviewTag: false,
    navigateOnDragDrop: false,
    plugins: false,
    safeDialogs: true,
    // The spell checker downloads dictionaries.
    spellcheck: false,
    devTools: !packaged,
    // No new window by middle click.
    disableBlinkFeatures: 'Auxclick',
    defaultEncoding: 'utf-8',
  }
}
