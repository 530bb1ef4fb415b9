import { NButton } from 'naive-ui'
import type { App } from 'vue'
import InertText from '../text/InertText.vue'
import ActionButton from './ActionButton.vue'
import AppIcon from './AppIcon.vue'
import ConfirmDialog from './ConfirmDialog.vue'
import CopyButton from './CopyButton.vue'
import ErrorNotice from './ErrorNotice.vue'
import SkeletonRows from './SkeletonRows.vue'
import StatusTag from './StatusTag.vue'
import TimeText from './TimeText.vue'

const parts = {
  ActionButton,
  AppIcon,
  ConfirmDialog,
  CopyButton,
  ErrorNotice,
  InertText,
  NButton,
  SkeletonRows,
  StatusTag,
  TimeText,
}

declare module 'vue' {
  // eslint-disable-next-line @typescript-eslint/no-empty-object-type -- adds the parts to Vue's own interface
  interface GlobalComponents extends BaseParts {}
}
type BaseParts = typeof parts

/** Lets every template use the parts that the shell and at least fifteen others draw, without an import. */
export function registerBaseParts(app: App): void {
  for (const [name, part] of Object.entries(parts)) app.component(name, part)
}
