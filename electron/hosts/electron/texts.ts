import type { MenuItemConstructorOptions } from 'electron'
import { createTexts } from '../../contract/texts.ts'
import { hostLanguage } from '../texts.ts'
import en from './desktop.en.json' with { type: 'json' }
import es from './desktop.es.json' with { type: 'json' }

/** Texts of menus, tray and dialogs. Call it when they are shown: the language can change. */
export const t = createTexts({ en, es }, hostLanguage)

/** A menu item by Electron's role, because Electron labels roles in English only. */
export const roleItem = (role: keyof typeof en.roles): MenuItemConstructorOptions => ({
  role,
  label: t(`roles.${role}`),
})
