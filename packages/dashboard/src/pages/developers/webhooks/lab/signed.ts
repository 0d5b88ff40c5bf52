/** What a request claims to be signed with, and the signatures that mistakes would have made. */

const utf8 = new TextEncoder()

/** Names in lower case. A line that is no header is left alone: people paste whole requests. */
export function headersIn(text: string): ReadonlyMap<string, string> {
  const lines = text.split('\n').map((line) => /^\s*([\w-]+)\s*:\s*(.+?)\s*$/.exec(line))
  return new Map(
    lines.filter((line) => line !== null).map(([, name = '', value = '']) => [name.toLowerCase(), value]),
  )
}

export type DigestHeader = {
  readonly t: string | null
  readonly v1: readonly string[]
  readonly others: readonly string[]
}

export function digestHeaderIn(header: string): DigestHeader {
  const elements = header.split(',').map((element) => {
    const [label = '', ...value] = element.trim().split('=')
    return { label, value: value.join('=') }
  })
  const valuesOf = (wanted: string) =>
    elements.filter(({ label }) => label === wanted).map(({ value }) => value)
  const [t = null] = valuesOf('t')
  const others = elements.map(({ label }) => label).filter((label) => label !== 't' && label !== 'v1')
  return { t, v1: valuesOf('v1'), others }
}

export async function hmacHex(key: Uint8Array<ArrayBuffer>, text: string): Promise<string> {
  // A key of no bytes is refused by the browser, and signs nothing that anybody sends.
  if (key.length === 0) return ''
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const imported = await crypto.subtle.importKey('raw', key, algorithm, false, ['sign'])
  const bytes = new Uint8Array(await crypto.subtle.sign('HMAC', imported, utf8.encode(text)))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

export const bytesOf = (text: string) => utf8.encode(text)

/** The bytes that stand in base64 behind `whsec_`; null if there are none. */
export function decodedSecret(secret: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(secret.replace(/^whsec_/, '')), (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}

/** Where two texts part, counted in bytes of UTF-8; null if they are the same. */
export function firstDifference(one: string, other: string): number | null {
  const [left, right] = [utf8.encode(one), utf8.encode(other)]
  const length = Math.max(left.length, right.length)
  for (let place = 0; place < length; place += 1) if (left[place] !== right[place]) return place
  return null
}
