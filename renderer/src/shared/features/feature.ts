import type { Status } from '#contract/connection/status.ts'
import type { Component } from 'vue'
import type { Client } from '../../rpc/rpc.ts'
import type { Command } from '../commands/use-commands.ts'
import type { IconName } from '../ui/icons.ts'

/** Headings of the navigation. Pages without one come first. */
export type NavigationGroup = 'send' | 'audience' | 'insight' | 'setup'

/** A page of the console: what a feature's `index.ts` exports as default, and the only thing of it the app knows. */
export interface Feature {
  /** Folder name; also the route's name. */
  id: string
  /** Page name as the product description writes it. */
  title: string
  icon: IconName
  /** Place in the navigation, rising. Null keeps the page out of it. */
  order: number | null
  /** Heading it stands under in the navigation. */
  group?: NavigationGroup
  /** Id of the page that the navigation marks while this one, which it does not list, is shown. */
  within?: string
  /** Letter after `g` that opens the page. */
  goKey?: string
  /** The page, loaded when first opened. `path` begins with a slash. */
  route: { path: string; component: () => Promise<{ default: Component }> }
  /** Commands that are on offer on every page. Those of the page itself go through `useCommands`. */
  commands: readonly Command[]
  /**
   * The page's results for a search in the palette, best first, at most five. It searches local data and sends no more
   * than one request to the service. Choosing one opens it.
   */
  search?: (text: string, client: Client, signal: AbortSignal) => Promise<readonly Command[]>
  /** Shows what the page itself holds of a text. Offered below everything that was found. */
  findText?: (text: string) => Command
  /** Keys that work while the page is shown, for the shortcuts sheet, which tells of all pages on any. */
  keys?: readonly { keys: string; title: string }[]
  /** How much waits on the page, for the navigation; `words` stand behind the number. */
  waiting?: { count: (status: Status) => number; words: string }
}
