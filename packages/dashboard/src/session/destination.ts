/** Where the browser goes after signing in. */

/**
 * The absolute URL of `to` if it is within the dashboard, else the start page. It is parsed as the browser would parse
 * it, since browsers drop tabs and newlines and read `\` as `/`. The result is absolute because the path of `/.//host`
 * is `//host`, which as a relative URL would name another host.
 */
export function destinationAfterSignIn(to: unknown, origin: string): string {
  const url = typeof to === 'string' && to.startsWith('/') ? URL.parse(to, origin) : null
  return url?.origin === origin ? url.href : `${origin}/`
}
