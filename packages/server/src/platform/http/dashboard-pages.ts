/**
 * The pages of the dashboard: one document for every address that a page may have, and its files. It speaks to its
 * own origin and to both addresses of the API; nothing else gets in, and nothing gets out.
 */
import type { FastifyInstance } from 'fastify'
import { refuse } from '../../kernel/errors.ts'
import type { Mode } from '../../kernel/id.ts'
import { createBuiltAssets, createBuiltPage, hashesOfStyles, quiet } from './built-files.ts'

const missing = 'The dashboard is not built. Run `npm run build:dashboard` and try again.'

export type DashboardPages = {
  readonly folder: string
  /** How browsers reach the dashboard. */
  readonly url: () => string
  readonly addresses: { readonly [M in Mode]: string }
}

export function addDashboardPages(app: FastifyInstance, { folder, url, addresses }: DashboardPages): void {
  const policyOf = (html: string) => dashboardPolicyOf(html, [addresses.live, addresses.test].map(originOf))
  const sendPage = createBuiltPage({ folder, missing, policyOf })
  const sendAsset = createBuiltAssets(folder)
  app.get<{ Params: { name: string } }>('/assets/:name', quiet, (request, reply) =>
    sendAsset(request.params.name, request, reply),
  )
  app.get('/*', quiet, (request, reply) => {
    const path = request.url.split('?', 1)[0] as string
    // A file that is not there is no page, whatever its name promises.
    if (/\.[a-z0-9]{2,5}$/i.test(path)) refuse('unknown_path')
    const elsewhere = otherNameOf(url(), request.headers.host)
    if (elsewhere !== null) return reply.redirect(`${elsewhere}${request.url}`, 302)
    return sendPage(request, reply)
  })
}

/** Pure. */
export function dashboardPolicyOf(html: string, origins: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    ["style-src 'self'", ...hashesOfStyles(html)].join(' '),
    "font-src 'self'",
    "img-src 'self' data:",
    ["connect-src 'self'", ...origins].join(' '),
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
}

/**
 * Pure. This machine has several names, and a browser takes each for another origin: somebody who types
 * 127.0.0.1 is led to the name that the dashboard knows itself by. Null: nothing to do.
 */
export function otherNameOf(url: string, host: string | undefined): string | null {
  const own = new URL(url)
  if (host === undefined || host === own.host || !isLoopback(own.hostname)) return null
  const asked = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : null
  return asked !== null && asked.port === own.port && isLoopback(asked.hostname) ? own.origin : null
}

/** Whether the name stands for the machine itself, where nobody listens in. Pure. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)
}

export function originOf(url: string): string {
  return new URL(url).origin
}
