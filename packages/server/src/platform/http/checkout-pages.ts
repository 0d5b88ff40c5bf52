/**
 * The payment page: the same files for every link and every session. Its content security policy is defined
 * here: the page connects only to its own origin, and loads nothing from other origins.
 */
import type { FastifyInstance } from 'fastify'
import { createBuiltAssets, createBuiltPage, hashesOfStyles, quietRoute } from './static-files.ts'

const missing = 'The payment page is not built. Run `npm run build:checkout` and try again.'

export function addCheckoutPages(app: FastifyInstance, folder: string): void {
  const sendPage = createBuiltPage({ folder, missing, policyOf })
  const sendAsset = createBuiltAssets(folder)
  app.get('/l/:slug', quietRoute, sendPage)
  app.get('/c/:checkout_session_id', quietRoute, sendPage)
  app.get<{ Params: { name: string } }>('/checkout/assets/:name', quietRoute, (request, reply) =>
    sendAsset(request.params.name, request, reply),
  )
}

/** The content security policy of the page. Pure. */
export function policyOf(html: string): string {
  const styles = hashesOfStyles(html)
  return [
    "default-src 'none'",
    "script-src 'self'",
    ['style-src', ...(styles.length === 0 ? ["'self'"] : styles)].join(' '),
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
}
