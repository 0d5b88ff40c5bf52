/**
 * The cookie of a session at the dashboard. Scripts cannot read it, other sites cannot send it, and a name that
 * begins with `__Host-` says that no neighbour under the same domain has set it. Browsers keep such a cookie only
 * when it came over TLS, so on plain HTTP, which is for this machine alone, it has another name.
 */

export type SessionCookie = { readonly secret: string; readonly maxAgeSeconds: number }

/** The secret that a browser sent; null if it sent none, or more than one. Pure. */
export function readSessionCookie(header: string | undefined, isSecure: boolean): string | null {
  const name = nameOf(isSecure)
  const values = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
  return values.length === 1 && /^[\w-]{43}$/.test(values[0] as string) ? (values[0] as string) : null
}

/** Pure. Null takes the cookie away. */
export function writeSessionCookie(cookie: SessionCookie | null, isSecure: boolean): string {
  const { secret, maxAgeSeconds } = cookie ?? { secret: '', maxAgeSeconds: 0 }
  const rules = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
  return `${nameOf(isSecure)}=${secret}; ${rules}`
}

function nameOf(isSecure: boolean): string {
  return isSecure ? '__Host-switchyard_session' : 'switchyard_session'
}
