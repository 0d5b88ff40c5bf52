/** Applies the tokens of the merchant to the styles of the form. */
import { type Appearance, colorsOf, textOn } from '../../../elements/src/appearance.ts'

const fonts: Readonly<Record<NonNullable<Appearance['fontFamily']>, string>> = {
  system: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  serif: 'Georgia, "Times New Roman", "Noto Serif", serif',
  monospace: 'ui-monospace, "Cascadia Mono", Menlo, monospace',
  rounded: 'ui-rounded, "Hiragino Maru Gothic ProN", Quicksand, Nunito, system-ui, sans-serif',
}

const systemTheme = matchMedia('(prefers-color-scheme: dark)')
let current: Appearance = {}
systemTheme.addEventListener('change', () => applyAppearance(current))

export function applyAppearance(appearance: Appearance): void {
  current = appearance
  const { theme = 'light', fontFamily = 'system', fontSize = 16, borderRadius = 3, spacing = 16 } = appearance
  const systemChoice = systemTheme.matches ? 'dark' : 'light'
  const shown = theme === 'auto' ? systemChoice : theme
  const colors = colorsOf(shown, appearance)
  const { style } = document.documentElement
  const properties = {
    'color-scheme': shown,
    '--canvas': colors.colorBackground,
    '--surface': colors.colorSurface,
    '--ink': colors.colorText,
    '--ink2': colors.colorTextSecondary,
    '--edge': colors.colorBorder,
    '--action': colors.colorAccent,
    '--on-action': textOn(colors.colorAccent),
    '--lock': colors.colorFocus,
    '--danger': colors.colorDanger,
    '--danger-soft': colors.colorDangerSurface,
    '--radius': `${borderRadius}px`,
    '--gap': `${spacing}px`,
    'font-family': fonts[fontFamily],
    'font-size': `${fontSize}px`,
    'line-height': '1.5',
  }
  for (const [name, value] of Object.entries(properties)) style.setProperty(name, value)
}
