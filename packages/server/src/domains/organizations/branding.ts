/** How a workspace shows itself to those who pay. Nothing of it is fetched from elsewhere: a logo comes along. */

/** In the words of the wire. */
export type Branding = {
  readonly display_name: string | null
  readonly logo_url: string | null
  readonly accent_color: string | null
}

export const noBranding: Branding = { display_name: null, logo_url: null, accent_color: null }

/** What payers see of it. */
export type Seller = {
  readonly name: string
  readonly logo_url: string | null
  readonly accent_color: string | null
  /** Black or white, whichever can be read on the accent colour; null without one. */
  readonly accent_text_color: '#000000' | '#ffffff' | null
}

export const largestLogoBytes = 32 * 1024

export function sellerOf(name: string, branding: Branding | null): Seller {
  const { display_name, logo_url, accent_color } = branding ?? noBranding
  return {
    name: display_name ?? name,
    logo_url,
    accent_color,
    accent_text_color: accent_color === null ? null : textColorOn(accent_color),
  }
}

/** The better of the two has a contrast of 4.5 and more on any colour. */
export function textColorOn(color: string): '#000000' | '#ffffff' {
  return contrastOf(color, '#ffffff') >= contrastOf(color, '#000000') ? '#ffffff' : '#000000'
}

/** By WCAG 2: from 1, the same, to 21, black on white. */
export function contrastOf(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((place) => {
    const share = Number.parseInt(color.slice(place, place + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const logo = /^data:image\/(png|jpeg|webp|gif);base64,([A-Za-z0-9+/]+={0,2})$/
const beginnings: { readonly [type: string]: readonly string[] } = {
  png: ['89504e47'],
  jpeg: ['ffd8ff'],
  webp: ['52494646'],
  gif: ['47494638'],
}

/** Why it cannot be shown; null if it can. Drawings with scripts in them are no pictures. */
export function faultOfLogo(text: string): string | null {
  const [, type = '', data = ''] = logo.exec(text) ?? []
  if (type === '') return 'must be a picture as data:image/png;base64,..., or jpeg, webp or gif'
  const bytes = Buffer.from(data, 'base64')
  if (bytes.length > largestLogoBytes) return 'must have 32 KB or less'
  const begins = bytes.subarray(0, 4).toString('hex')
  return beginnings[type]?.some((beginning) => begins.startsWith(beginning)) ? null : `is no ${type}`
}
