/** Parses signature headers and computes HMACs. */

const utf8 = new TextEncoder()

/** Header names in lower case. Lines that are not headers are ignored, because users paste whole requests. */
export function parseHeaders(text: string): ReadonlyMap<string, string> {
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

export function parseDigestHeader(header: string): DigestHeader {
  const elements = header.split(',').map((element) => {
    const [label = '', ...value] = element.trim().split('=')
    return { label, value: value.join('=') }
  })
  const valuesOf = (name: string) => elements.filter(({ label }) => label === name).map(({ value }) => value)
  const [t = null] = valuesOf('t')
  const others = elements.map(({ label }) => label).filter((label) => label !== 't' && label !== 'v1')
  return { t, v1: valuesOf('v1'), others }
}

export async function hmacHex(key: Uint8Array<ArrayBuffer>, text: string): Promise<string> {
  // The browser rejects an empty key.
  if (key.length === 0) return ''
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const imported = await crypto.subtle.importKey('raw', key, algorithm, false, ['sign'])
  const bytes = new Uint8Array(await crypto.subtle.sign('HMAC', imported, utf8.encode(text)))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

export const bytesOf = (text: string) => utf8.encode(text)

/** The bytes encoded in base64 after `whsec_`; null if it is not valid base64. */
export function decodedSecret(secret: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(secret.replace(/^whsec_/, '')), (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}

/** The position of the first difference in UTF-8 bytes; null if the strings are equal. */
export function firstDifference(one: string, other: string): number | null {
  const [left, right] = [utf8.encode(one), utf8.encode(other)]
  const length = Math.max(left.length, right.length)
  for (let index = 0; index < length; index += 1) if (left[index] !== right[index]) return index
  return null
}
