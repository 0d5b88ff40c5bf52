/** The origins of the pages that may embed the payment element. */

export const maxElementOrigins = 20

/**
 * An https origin, or an http origin of the developer's own computer. It is written into a response header.
 */
export const elementOriginPattern =
  '^(https://[a-z0-9-]+(\\.[a-z0-9-]+)*|http://(localhost|127\\.0\\.0\\.1))(:[0-9]{1,5})?$'

/** Why the origin cannot be used; null if it can. It must be written as browsers write it. */
export function findOriginFault(text: string): string | null {
  const origin = URL.parse(text)?.origin ?? null
  if (origin === text) return null
  return origin === null ? 'is not a valid origin' : `must be written as ${origin}`
}

/** Whether a payer may be redirected to this URL after authentication. */
export function isAllowedUrl(origins: readonly string[], url: string): boolean {
  const parsed = URL.parse(url)
  return parsed !== null && parsed.username === '' && origins.includes(parsed.origin)
}
