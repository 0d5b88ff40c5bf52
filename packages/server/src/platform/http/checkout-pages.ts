/**
 * The payment page: the same few files for every link and every session. What it may do is written here: it speaks
 * to its own address, and nothing else gets in.
 */
import type { FastifyInstance } from 'fastify'
import { createBuiltAssets, createBuiltPage, hashesOfStyles, quiet } from './built-files.ts'

const missing = 'The payment page is not built. Run `npm run build:checkout` and try again.'

export function addCheckoutPages(app: FastifyInstance, folder: string): void {
  const sendPage = createBuiltPage({ folder, missing, policyOf })
  const sendAsset = createBuiltAssets(folder)
  app.get('/l/:slug', quiet, sendPage)
  app.get('/c/:checkout_session_id', quiet, sendPage)
  app.get<{ Params: { name: string } }>('/checkout/assets/:name', quiet, (request, reply) =>
    sendAsset(request.params.name, request, reply),
  )
}

/** Pure. */
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
