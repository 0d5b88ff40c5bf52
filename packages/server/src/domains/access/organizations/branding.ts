/**
 * The branding of a workspace on payment pages. A logo is stored as a data URL, so that nothing is fetched
 * from elsewhere.
 */

/** Member names as in the API. */
export type Branding = {
  readonly display_name: string | null
  readonly logo_url: string | null
  readonly accent_color: string | null
}

export const noBranding: Branding = { display_name: null, logo_url: null, accent_color: null }

/** The seller as payers see it. */
export type Seller = {
  readonly name: string
  readonly logo_url: string | null
  readonly accent_color: string | null
  /** Black or white, whichever is readable on the accent color; null without an accent color. */
  readonly accent_text_color: '#000000' | '#ffffff' | null
}

export const maxLogoBytes = 32 * 1024

export function sellerOf(name: string, branding: Branding | null): Seller {
  const { display_name, logo_url, accent_color } = branding ?? noBranding
  return {
    name: display_name ?? name,
    logo_url,
    accent_color,
    accent_text_color: accent_color === null ? null : textColorOn(accent_color),
  }
}

/** Black or white, whichever has the higher contrast. On any color this is at least 4.5. */
export function textColorOn(color: string): '#000000' | '#ffffff' {
  return contrastRatio(color, '#ffffff') >= contrastRatio(color, '#000000') ? '#ffffff' : '#000000'
}

/** The contrast ratio of WCAG 2: from 1 for equal colors to 21 for black and white. */
export function contrastRatio(color: string, background: string): number {
  const [dark = 0, light = 0] = [luminance(color), luminance(background)].toSorted((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const channel = Number.parseInt(color.slice(start, start + 2), 16) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const logoPattern = /^data:image\/(png|jpeg|webp|gif);base64,([A-Za-z0-9+/]+={0,2})$/
const magicNumbers: { readonly [type: string]: readonly string[] } = {
  png: ['89504e47'],
  jpeg: ['ffd8ff'],
  webp: ['52494646'],
  gif: ['47494638'],
}

/** Why the logo cannot be used; null if it can. SVG is not allowed, because it can contain scripts. */
export function findLogoFault(text: string): string | null {
  const [, type = '', data = ''] = logoPattern.exec(text) ?? []
  if (type === '')
    return 'must be an image as a data URL such as data:image/png;base64,...: png, jpeg, webp or gif'
  const bytes = Buffer.from(data, 'base64')
  if (bytes.length > maxLogoBytes) return 'must not exceed 32 KB'
  const firstBytes = bytes.subarray(0, 4).toString('hex')
  return magicNumbers[type]?.some((magicNumber) => firstBytes.startsWith(magicNumber))
    ? null
    : `is not a valid ${type} image`
}
