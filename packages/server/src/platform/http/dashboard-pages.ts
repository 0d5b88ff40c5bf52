/**
 * Serves the dashboard: the same document for every page URL, and its assets. The content security policy of the
 * document allows connections only to its own origin and to the live and the test API.
 */
import type { FastifyInstance } from 'fastify'
import { refuse } from '../../kernel/errors.ts'
import type { Mode } from '../../kernel/id.ts'
import { mailFramePage, mailFramePolicy } from './mail-frame.ts'
import { createBuiltAssets, createBuiltPage, hashesOfStyles, quietRoute } from './static-files.ts'

const missing = 'The dashboard is not built. Run `npm run build:dashboard` and try again.'

export type DashboardPages = {
  readonly folder: string
  /** The URL at which browsers reach the dashboard. */
  readonly url: () => string
  readonly addresses: { readonly [M in Mode]: string }
}

export function addDashboardPages(app: FastifyInstance, { folder, url, addresses }: DashboardPages): void {
  const policyOf = (html: string) => dashboardPolicyOf(html, [addresses.live, addresses.test].map(originOf))
  const sendPage = createBuiltPage({ folder, missing, policyOf })
  const sendAsset = createBuiltAssets(folder)
  app.get<{ Params: { name: string } }>('/assets/:name', quietRoute, (request, reply) =>
    sendAsset(request.params.name, request, reply),
  )
  app.get('/mail-frame', quietRoute, (_request, reply) =>
    reply
      .headers({ 'content-security-policy': mailFramePolicy(originOf(url())), 'cache-control': 'no-cache' })
      .type('text/html; charset=utf-8')
      .send(mailFramePage),
  )
  app.get('/*', quietRoute, (request, reply) => {
    const path = request.url.split('?', 1)[0] as string
    // A request for a missing file must not get the page as its response.
    if (/\.[a-z0-9]{2,5}$/i.test(path)) refuse('unknown_path')
    const redirectOrigin = redirectOriginOf(url(), request.headers.host)
    if (redirectOrigin !== null) return reply.redirect(`${redirectOrigin}${request.url}`, 302)
    return sendPage(request, reply)
  })
}

/** The content security policy of the dashboard. Has no side effects. */
export function dashboardPolicyOf(html: string, origins: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    ["style-src 'self'", ...hashesOfStyles(html)].join(' '),
    "font-src 'self'",
    "img-src 'self' data:",
    "frame-src 'self'",
    ["connect-src 'self'", ...origins].join(' '),
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
}

/**
 * The origin to redirect to; null if no redirect is needed. Browsers treat localhost and 127.0.0.1 as different
 * origins, so a user who types the wrong one is redirected to the configured URL of the dashboard. Has no side effects.
 */
export function redirectOriginOf(url: string, host: string | undefined): string | null {
  const configured = new URL(url)
  if (host === undefined || host === configured.host || !isLoopback(configured.hostname)) return null
  const requested = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : null
  return requested !== null && requested.port === configured.port && isLoopback(requested.hostname)
    ? configured.origin
    : null
}

/** Whether the name is a loopback address, where traffic cannot be intercepted. Has no side effects. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)
}

export function originOf(url: string): string {
  return new URL(url).origin
}
