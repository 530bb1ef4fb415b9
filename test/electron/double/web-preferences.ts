import { MissingInDoubleError } from './loud.ts'
import type { Session } from './session.ts'

/** What a page runs with. Names and defaults: Electron’s `structures/web-preferences` and its `web_contents_preferences.cc`. */
export interface WebPreferences {
  preload?: string
  session?: Session
  contextIsolation: boolean
  sandbox: boolean
  nodeIntegration: boolean
  nodeIntegrationInWorker: boolean
  nodeIntegrationInSubFrames: boolean
  webSecurity: boolean
  allowRunningInsecureContent: boolean
  experimentalFeatures: boolean
  webviewTag: boolean
  navigateOnDragDrop: boolean
  plugins: boolean
  safeDialogs: boolean
  spellcheck: boolean
  devTools: boolean
  disableBlinkFeatures?: string
  defaultEncoding: string
}

const defaults: WebPreferences = {
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
  safeDialogs: false,
  spellcheck: true,
  devTools: true,
  defaultEncoding: 'ISO-8859-1',
}

/** The only values that the double supports; with others a real page could do more than it shows. */
const fixed: Partial<WebPreferences> = {
  contextIsolation: true,
  sandbox: true,
  nodeIntegration: false,
  nodeIntegrationInWorker: false,
  nodeIntegrationInSubFrames: false,
  webSecurity: true,
  allowRunningInsecureContent: false,
  experimentalFeatures: false,
  webviewTag: false,
  plugins: false,
}

/** The effective preferences of a window. Throws for one that the double doesn’t know or support. */
export function effectivePreferences(asked: Partial<WebPreferences>, sandboxed: boolean): WebPreferences {
  for (const name of Object.keys(asked)) {
    if (!(name in defaults) && !['preload', 'session', 'disableBlinkFeatures'].includes(name)) {
      throw new MissingInDoubleError(`The Electron double has no web preference ${name}`)
    }
  }
  const all = { ...defaults, ...asked, ...(sandboxed ? { sandbox: true } : {}) }
  for (const [name, value] of Object.entries(fixed)) {
    if (all[name as keyof WebPreferences] !== value) {
      throw new MissingInDoubleError(`The Electron double runs pages with ${name}: ${String(value)} only`)
    }
  }
  return all
}
