import { type BrowserWindow, type ContextMenuParams, Menu, type MenuItemConstructorOptions } from 'electron'
import type { HostRequest } from '../../core/connection/desktop/desktop.service.ts'
import { roleItem, t } from './texts.ts'

const digitsOfNumber = { least: 6, most: 15 }

/** The selected phone number without punctuation; null when the selection isn't one number. */
export function selectedNumber(selection: string): string | null {
  const text = selection.trim()
  if (text.length > 40 || !/^[+(]?[\d\s().\-/\u2010-\u2015]+$/.test(text)) return null
  const digits = text.replace(/\D/g, '')
  if (digits.length < digitsOfNumber.least || digits.length > digitsOfNumber.most) return null
  return `${text.includes('+') ? '+' : ''}${digits}`
}

/** Menu items for a right click: editing, and a look-up of a selected number. */
function contextItems(
  {
    isEditable,
    editFlags,
    selectionText,
  }: Pick<ContextMenuParams, 'isEditable' | 'editFlags' | 'selectionText'>,
  lookUp: (number: string) => void,
): MenuItemConstructorOptions[] {
  const number = selectedNumber(selectionText)
  const hasSelection = selectionText.trim() !== ''
  return [
    ...(number === null
      ? []
      : [
          { label: t('menu.lookUp', { number }), click: () => lookUp(number) },
          { type: 'separator' as const },
        ]),
    ...(isEditable ? [{ ...roleItem('cut'), enabled: editFlags.canCut }] : []),
    ...(isEditable || hasSelection ? [{ ...roleItem('copy'), enabled: editFlags.canCopy }] : []),
    ...(isEditable ? [{ ...roleItem('paste'), enabled: editFlags.canPaste }] : []),
    { ...roleItem('selectAll'), enabled: editFlags.canSelectAll },
  ]
}

export function installContextMenu(window: BrowserWindow, ask: (request: HostRequest) => void): void {
  const lookUp = (number: string) =>
    ask({ kind: 'page', path: `/contacts?${new URLSearchParams({ text: number })}` })
  window.webContents.on('context-menu', (_event, params) => {
    Menu.buildFromTemplate(contextItems(params, lookUp)).popup({
      window,
      ...(params.frame ? { frame: params.frame } : {}),
      x: params.x,
      y: params.y,
      sourceType: params.menuSourceType,
    })
  })
}
