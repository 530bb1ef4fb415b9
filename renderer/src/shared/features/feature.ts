import type { Status } from '#contract/connection/status.ts'
import type { Component } from 'vue'
import type { Client } from '../../rpc/rpc.ts'
import type { Command } from '../commands/use-commands.ts'
import type { IconName } from '../ui/icons.ts'

/** Headings of the navigation. Pages without one come first. */
type NavigationGroup = 'send' | 'audience' | 'insight' | 'setup'

/** A page: a feature’s `index.ts` exports it as default, and the app knows nothing else of the feature. */
export interface Feature {
  /** Folder name; also the route's name. */
  id: string
  /** Page name as in the product description. */
  title: () => string
  icon: IconName
  /** Position in the navigation, ascending. Null hides the page from it. */
  order: number | null
  /** Its heading in the navigation. */
  group?: NavigationGroup
  /** Page that the navigation marks while this unlisted one is shown. */
  within?: string
  /** Letter after `g` that opens the page. */
  goKey?: string
  /** The page, loaded when first opened. `path` begins with a slash. */
  route: { path: string; component: () => Promise<{ default: Component }> }
  /** Commands of every page. A page’s own commands go through `useCommands`. */
  commands?: () => readonly Command[]
  /**
   * The page’s results for a palette search, best first, at most five. It searches local data and sends at most one request to the
   * service. Selecting a result opens it.
   */
  search?: (text: string, client: Client, signal: AbortSignal) => Promise<readonly Command[]>
  /** Opens the page with this text as its search. Listed below all results. */
  findText?: (text: string) => Command
  /** Keys of the page and what they do, for the shortcuts sheet, which lists all pages. */
  keys?: () => Record<string, string>
  /** How much waits on the page, for the navigation; `words` follow the number. */
  waiting?: { count: (status: Status) => number; words: () => string }
}
