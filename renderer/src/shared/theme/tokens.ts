import type { GlobalThemeOverrides, NLocale } from 'naive-ui'
import { t } from '../i18n/shared.texts.ts'

/** A colour per role, for one scheme. Text has a contrast of 4.5:1 on every surface, control borders 3:1; a test checks it. */
export interface Palette {
  /** Sidebar, status bar, and background of dashboards. */
  frame: string
  /** Background of lists. */
  content: string
  /** Panels and drawers. */
  surface: string
  raised: string
  sunken: string
  hover: string
  selected: string
  /** Hairlines; carries no meaning. */
  border: string
  /** Border of a control: must be visible. */
  controlBorder: string
  /** Hairline of a button; its label marks it. */
  buttonBorder: string
  text: string
  textMuted: string
  accent: string
  accentSoft: string
  /** Fill of a primary button, and the text on it. */
  primary: string
  primaryHover: string
  primaryPressed: string
  onPrimary: string
  ok: string
  okSoft: string
  warn: string
  warnSoft: string
  bad: string
  badSoft: string
  /** Fill of a destructive button; its text is `onPrimary`. */
  danger: string
  dangerHover: string
  quiet: string
  quietSoft: string
  violet: string
  violetSoft: string
  /** Fills of charts: 3:1 against the surface, and more distinct than text colours. */
  chartBlue: string
  chartGreen: string
  chartRed: string
  chartAmber: string
  chartViolet: string
}

export const dark: Palette = {
  frame: '#0b0e12',
  content: '#101318',
  surface: '#151920',
  raised: '#1c2129',
  sunken: '#0c0f13',
  hover: '#1a2028',
  selected: '#182742',
  border: '#242b34',
  controlBorder: '#69748a',
  buttonBorder: '#303945',
  text: '#e6eaf0',
  textMuted: '#a6b0bd',
  accent: '#7db0ff',
  accentSoft: '#1b2b44',
  primary: '#2f6cd6',
  primaryHover: '#3672dc',
  primaryPressed: '#2860c2',
  onPrimary: '#ffffff',
  ok: '#5ccb91',
  okSoft: '#14301f',
  warn: '#e3b04e',
  warnSoft: '#332710',
  bad: '#f58c8c',
  badSoft: '#3a1b1d',
  danger: '#c23b3b',
  dangerHover: '#cf4646',
  quiet: '#a2adbb',
  quietSoft: '#242a33',
  violet: '#c2a2f5',
  violetSoft: '#2b2140',
  chartBlue: '#5b95ec',
  chartGreen: '#3fae76',
  chartRed: '#ef6b6b',
  chartAmber: '#dba63f',
  chartViolet: '#ad87ea',
}

export const light: Palette = {
  frame: '#f4f5f7',
  content: '#ffffff',
  surface: '#ffffff',
  raised: '#ffffff',
  sunken: '#f0f2f5',
  hover: '#f4f6f9',
  selected: '#e8f0fd',
  border: '#e3e7ec',
  controlBorder: '#7f8b9a',
  buttonBorder: '#d3d9e0',
  text: '#171c24',
  textMuted: '#505b69',
  accent: '#1d5bbd',
  accentSoft: '#e2ecfb',
  primary: '#1f5fc4',
  primaryHover: '#2a6bd0',
  primaryPressed: '#1a53ad',
  onPrimary: '#ffffff',
  ok: '#136c3c',
  okSoft: '#e0f3e8',
  warn: '#855300',
  warnSoft: '#fbf0d9',
  bad: '#b12525',
  badSoft: '#fce8e8',
  danger: '#b92b2b',
  dangerHover: '#c63838',
  quiet: '#525d6b',
  quietSoft: '#e9edf2',
  violet: '#6b3fb5',
  violetSoft: '#f0e9fb',
  chartBlue: '#4a86dd',
  chartGreen: '#2f9a62',
  chartRed: '#d84a4a',
  chartAmber: '#b97d0e',
  chartViolet: '#8a60d4',
}

export const palettes = { dark, light } as const
export type Scheme = keyof typeof palettes

/** Density: heights and paddings in pixels. */
export const densities = {
  compact: { rowHeightPx: 28, controlHeightPx: 28, gapPx: 8, padPx: 12 },
  comfortable: { rowHeightPx: 36, controlHeightPx: 34, gapPx: 12, padPx: 16 },
} as const
type Density = keyof typeof densities

export const fontUi =
  "'Inter Variable', Inter, 'Segoe UI', 'SF Pro Text', -apple-system, BlinkMacSystemFont, Roboto, 'Noto Sans', 'Liberation Sans', Arial, sans-serif"
const fontMono =
  "ui-monospace, 'SF Mono', 'Cascadia Mono', 'Roboto Mono', Menlo, Consolas, 'Liberation Mono', 'DejaVu Sans Mono', monospace"

/** Colours of a connection, by the contract’s names: a mark beside its name, never the only sign. */
export const connectionColours = {
  blue: { dark: '#5b9bff', light: '#1f66d1' },
  teal: { dark: '#3fc1bd', light: '#0b7d7a' },
  green: { dark: '#4fc083', light: '#1b7f46' },
  amber: { dark: '#e5b84a', light: '#a06a00' },
  orange: { dark: '#f0924d', light: '#b5560d' },
  red: { dark: '#f07474', light: '#c03030' },
  purple: { dark: '#b58bf2', light: '#7a46c4' },
  grey: { dark: '#9aa5b3', light: '#66717f' },
} as const satisfies Record<string, Record<Scheme, string>>

/** Colours of event chart lines, by the core’s line names. */
export function seriesColour(name: string, palette: Palette): string {
  const known: Record<string, string> = {
    submitted: palette.chartBlue,
    delivered: palette.chartGreen,
    failed: palette.chartRed,
    expired: palette.chartAmber,
    mo: palette.chartViolet,
  }
  return known[name] ?? palette.quiet
}

/** The palette and density as CSS custom properties: `textMuted` → `--text-muted`, `rowHeightPx` → `--row-height`. */
export function cssVariables(scheme: Scheme, density: Density): Record<string, string> {
  const variables: Record<string, string> = { '--font-ui': fontUi, '--font-mono': fontMono }
  for (const [name, colour] of Object.entries(palettes[scheme])) variables[`--${kebab(name)}`] = colour
  for (const [name, sizePx] of Object.entries(densities[density])) {
    variables[`--${kebab(name.replace(/Px$/, ''))}`] = `${sizePx}px`
  }
  return variables
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** A filled button in each of its states. */
const filled = (type: 'Primary' | 'Error', text: string, fill: string, hover: string, pressed: string) =>
  Object.fromEntries(
    Object.entries({ '': fill, Hover: hover, Pressed: pressed, Focus: hover, Disabled: fill }).flatMap(
      ([state, colour]) => [
        [`textColor${state}${type}`, text],
        [`color${state}${type}`, colour],
        [`border${state}${type}`, `1px solid ${colour}`],
      ],
    ),
  ) as Record<string, string>

/** naive-ui’s theme, derived from the same tokens. */
export function naiveOverrides(scheme: Scheme, density: Density): GlobalThemeOverrides {
  const palette = palettes[scheme]
  const { controlHeightPx } = densities[density]
  const smallPx = controlHeightPx - 4
  return {
    common: {
      fontFamily: fontUi,
      fontFamilyMono: fontMono,
      fontSize: '13px',
      fontSizeMini: '12px',
      fontSizeTiny: '12px',
      fontSizeSmall: '13px',
      fontSizeMedium: '13px',
      fontSizeLarge: '14px',
      borderRadius: '6px',
      borderRadiusSmall: '4px',
      heightSmall: `${smallPx}px`,
      heightMedium: `${controlHeightPx}px`,
      heightLarge: `${controlHeightPx + 6}px`,
      primaryColor: palette.accent,
      primaryColorHover: palette.accent,
      primaryColorPressed: palette.accent,
      primaryColorSuppl: palette.accent,
      infoColor: palette.accent,
      successColor: palette.ok,
      warningColor: palette.warn,
      errorColor: palette.bad,
      textColorBase: palette.text,
      textColor1: palette.text,
      textColor2: palette.text,
      textColor3: palette.textMuted,
      textColorDisabled: palette.textMuted,
      placeholderColor: palette.textMuted,
      placeholderColorDisabled: palette.textMuted,
      iconColor: palette.textMuted,
      bodyColor: palette.content,
      cardColor: palette.surface,
      modalColor: palette.raised,
      popoverColor: palette.raised,
      tableColor: palette.surface,
      inputColor: palette.surface,
      inputColorDisabled: palette.sunken,
      actionColor: palette.sunken,
      hoverColor: palette.hover,
      borderColor: palette.border,
      dividerColor: palette.border,
      opacityDisabled: '0.6',
    },
    Button: {
      paddingTiny: '0 8px',
      // The smallest target that WCAG 2.2 allows.
      heightTiny: '24px',
      ...filled('Primary', palette.onPrimary, palette.primary, palette.primaryHover, palette.primaryPressed),
      ...filled('Error', palette.onPrimary, palette.danger, palette.dangerHover, palette.danger),
      color: palette.raised,
      colorHover: palette.hover,
      colorFocus: palette.hover,
      colorPressed: palette.hover,
      border: `1px solid ${palette.buttonBorder}`,
      borderHover: `1px solid ${palette.accent}`,
      borderFocus: `1px solid ${palette.accent}`,
      borderPressed: `1px solid ${palette.accent}`,
      borderDisabled: `1px solid ${palette.border}`,
    },
    Input: { border: `1px solid ${palette.controlBorder}`, borderDisabled: `1px solid ${palette.border}` },
    Select: {
      peers: { InternalSelection: { border: `1px solid ${palette.controlBorder}` } },
    },
    Radio: {
      boxShadow: `inset 0 0 0 1px ${palette.controlBorder}`,
      buttonBorderColor: palette.controlBorder,
      buttonColorActive: palette.accentSoft,
      buttonTextColorActive: palette.accent,
    },
    Checkbox: { border: `1px solid ${palette.controlBorder}`, borderDisabled: `1px solid ${palette.border}` },
    Switch: { railColor: palette.controlBorder, railColorActive: palette.primary },
    Tooltip: { color: palette.raised, textColor: palette.text },
    Modal: { boxShadow: '0 12px 40px rgba(0, 0, 0, 0.4)' },
    Dialog: { borderRadius: '10px' },
    Card: { borderRadius: '8px' },
  }
}

/** Sizes of controls that name none. */
export const naiveSizes = {
  Button: { size: 'small' },
  Input: { size: 'small' },
  Select: { size: 'small' },
} as const

/** No texts of naive-ui's own. */
export const naiveLocale = () =>
  ({ Input: { placeholder: '' }, Empty: { description: t('ui.noOptions') } }) as NLocale
