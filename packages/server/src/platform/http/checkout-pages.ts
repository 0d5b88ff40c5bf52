/**
 * The payment page: the same files for every link and every session. Its content security policy is defined
 * here: the page connects only to its own origin, and loads nothing from other origins. With `?fields=<component>` it
 * also allows the sources of that component, in which the payer enters the card.
 */
import type { FastifyInstance } from 'fastify'
import type { Mode } from '../../kernel/id.ts'
import { type CardFieldsSources, cardFieldsSources } from './card-fields-sources.ts'
import { createBuiltAssets, createBuiltPage, hashesOfStyles, quietRoute } from './static-files.ts'

const missing = 'The payment page is not built. Run `npm run build:checkout` and try again.'

export function addCheckoutPages(app: FastifyInstance, folder: string, mode: Mode): void {
  const sendPage = createBuiltPage({
    folder,
    missing,
    policyOf: (html, { query }) =>
      policyOf(html, cardFieldsSources((query as Readonly<Record<string, unknown>>).fields, mode)),
  })
  const sendAsset = createBuiltAssets(folder)
  app.get('/l/:slug', quietRoute, sendPage)
  app.get('/c/:checkout_session_id', quietRoute, sendPage)
  app.get<{ Params: { name: string } }>('/checkout/assets/:name', quietRoute, (request, reply) =>
    sendAsset(request.params.name, request, reply),
  )
}

/**
 * The content security policy of the page. Scripts of a component are not written for Trusted Types, as far as their
 * documentation says, so a page with fields does not require them. Pure.
 */
export function policyOf(html: string, fields: CardFieldsSources | null = null): string {
  const styles = hashesOfStyles(html)
  const { script = [], frame = [], connect = [], style = [], image = [] } = fields ?? {}
  return [
    "default-src 'none'",
    ["script-src 'self'", ...script].join(' '),
    ['style-src', ...(styles.length === 0 ? ["'self'"] : styles), ...style].join(' '),
    ["img-src 'self' data:", ...image].join(' '),
    ["connect-src 'self'", ...connect].join(' '),
    ...(frame.length === 0 ? [] : [['frame-src', ...frame].join(' ')]),
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    ...(fields === null ? ["require-trusted-types-for 'script'", "trusted-types 'none'"] : []),
  ].join('; ')
}
