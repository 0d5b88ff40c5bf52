/**
 * The 14 tokens with which a merchant adapts the element to a page. There is no raw CSS. Colours that would make text
 * hard to read are rejected, by the contrast ratios of WCAG 2.2 AA. No side effects.
 */

export const themes = ['light', 'dark', 'auto'] as const
export const fontFamilies = ['system', 'serif', 'monospace', 'rounded'] as const

/** Colours are written as `#rrggbb`, sizes in pixels. */
export type Appearance = {
  /** `auto` follows the setting of the payer's system. Default: `light`. */
  readonly theme?: (typeof themes)[number]
  readonly colorBackground?: string
  /** The background of fields. */
  readonly colorSurface?: string
  readonly colorText?: string
  readonly colorTextSecondary?: string
  readonly colorBorder?: string
  /** The background of buttons. Their text is black or white. */
  readonly colorAccent?: string
  readonly colorFocus?: string
  readonly colorDanger?: string
  readonly colorDangerSurface?: string
  readonly fontFamily?: (typeof fontFamilies)[number]
  /** From 14 to 20. Default: 16. */
  readonly fontSize?: number
  /** From 0 to 24. Default: 3. */
  readonly borderRadius?: number
  /** Between fields, from 8 to 32. Default: 16. */
  readonly spacing?: number
}

const colorNames = [
  'colorBackground',
  'colorSurface',
  'colorText',
  'colorTextSecondary',
  'colorBorder',
  'colorAccent',
  'colorFocus',
  'colorDanger',
  'colorDangerSurface',
] as const
type ColorName = (typeof colorNames)[number]
export type Colors = Readonly<Record<ColorName, string>>

const defaults: Readonly<Record<'light' | 'dark', string>> = {
  light: 'ffffff ffffff 1b211e 4a524d 847c69 1b211e 1b4f9c a3231b faded9',
  dark: '161e1b 161e1b ecebe4 b7bfb8 718078 ecebe4 93b8f5 ff9183 421a18',
}

/** The colours of a theme other than `auto`, overridden by the merchant's colours. */
export function colorsOf(theme: 'light' | 'dark', appearance: Appearance): Colors {
  const values = defaults[theme].split(' ')
  return Object.fromEntries(
    colorNames.map((name, index) => [name, appearance[name] ?? `#${values[index]}`]),
  ) as Colors
}

const ranges: Readonly<Record<string, readonly [number, number]>> = {
  fontSize: [14, 20],
  borderRadius: [0, 24],
  spacing: [8, 32],
}
const choices: Readonly<Record<string, readonly string[]>> = { theme: themes, fontFamily: fontFamilies }

export function isAppearance(value: unknown): value is Appearance {
  return findAppearanceFault(value) === null
}

/** Why the tokens cannot be used; null if they can. */
export function findAppearanceFault(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return 'appearance must be an object'
  for (const [name, token] of Object.entries(value)) {
    const fault = faultOfToken(name, token)
    if (fault !== null) return `appearance.${name} ${fault}`
  }
  return findContrastFault(value)
}

function faultOfToken(name: string, value: unknown): string | null {
  if (Object.hasOwn(choices, name))
    return choices[name]?.includes(value as string) ? null : `must be one of ${choices[name]?.join(', ')}`
  if (Object.hasOwn(ranges, name)) {
    const [min = 0, max = 0] = ranges[name] ?? []
    const isInRange = typeof value === 'number' && value >= min && value <= max
    return isInRange ? null : `must be a number from ${min} to ${max}`
  }
  if (!colorNames.includes(name as ColorName)) return 'is not a token'
  return typeof value === 'string' && /^#[0-9a-f]{6}$/i.test(value)
    ? null
    : 'must be a colour such as #0b5fff'
}

/** Pairs of colours and the lowest contrast ratio: 4.5 for text, 3 for borders and the focus ring. */
const pairs: readonly (readonly [ColorName, ColorName, number])[] = [
  ['colorText', 'colorBackground', 4.5],
  ['colorText', 'colorSurface', 4.5],
  ['colorTextSecondary', 'colorBackground', 4.5],
  ['colorTextSecondary', 'colorSurface', 4.5],
  ['colorDanger', 'colorBackground', 4.5],
  ['colorDanger', 'colorDangerSurface', 4.5],
  ['colorBorder', 'colorBackground', 3],
  ['colorBorder', 'colorSurface', 3],
  ['colorFocus', 'colorBackground', 3],
  ['colorFocus', 'colorSurface', 3],
]

function findContrastFault(appearance: Appearance): string | null {
  const { theme = 'light' } = appearance
  for (const name of theme === 'auto' ? (['light', 'dark'] as const) : [theme]) {
    const colors = colorsOf(name, appearance)
    for (const [front, back, least] of pairs) {
      const ratio = contrastOf(colors[front], colors[back])
      if (ratio < least)
        return `appearance.${front} ${colors[front]} on ${back} ${colors[back]} has a contrast of ${ratio.toFixed(1)}: it must be at least ${least}`
    }
  }
  return null
}

/** Black or white, whichever is easier to read on the colour. */
export function textOn(color: string): string {
  return contrastOf(color, '#ffffff') >= contrastOf(color, '#000000') ? '#ffffff' : '#000000'
}

/** The contrast ratio of WCAG 2. */
function contrastOf(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminanceOf(a), luminanceOf(b)].sort((x, y) => x - y)
  return (light + 0.05) / (dark + 0.05)
}

function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const channel = Number.parseInt(color.slice(start, start + 2), 16) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
