/**
 * The two cookies of the dashboard: the session cookie, and the device cookie, which outlives the session.
 * Scripts cannot read them and other sites cannot send them. The `__Host-` prefix guarantees that no sibling
 * domain has set them. Browsers accept that prefix only over TLS, so on plain HTTP, which is for local use
 * only, the cookies have a different name.
 */

export type CookieKind = 'session' | 'device'
export type PageCookie = { readonly secret: string; readonly maxAgeSeconds: number }

const lengths: { readonly [K in CookieKind]: number } = { session: 43, device: 64 }

/** The secret in the cookie; null if there is none, or more than one. Has no side effects. */
export function readCookie(kind: CookieKind, header: string | undefined, isSecure: boolean): string | null {
  const name = nameOf(kind, isSecure)
  const values = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
  const [value = ''] = values
  return values.length === 1 && value.length === lengths[kind] && /^[\w-]+$/.test(value) ? value : null
}

/** Null deletes the cookie. Has no side effects. */
export function writeCookie(kind: CookieKind, cookie: PageCookie | null, isSecure: boolean): string {
  const { secret, maxAgeSeconds } = cookie ?? { secret: '', maxAgeSeconds: 0 }
  const rules = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
  return `${nameOf(kind, isSecure)}=${secret}; ${rules}`
}

export function nameOf(kind: CookieKind, isSecure: boolean): string {
  return `${isSecure ? '__Host-' : ''}switchyard_${kind}`
}
