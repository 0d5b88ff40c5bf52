/**
 * The payment page: the same files for every link and every session. Its content security policy is defined
 * here: the page connects only to its own origin, and loads nothing from other origins. With `?fields=<component>` it
 * also allows the sources of that component, in which the payer enters the card. The frame of the payment element is
 * the same, and may be embedded by pages of the origins that the merchant allows.
 */
import type { FastifyInstance } from 'fastify'
import type { Mode } from '../../kernel/id.ts'
import { type CardFieldsSources, cardFieldsSources } from './card-fields-sources.ts'
import {
  createBuiltAssets,
  createBuiltPage,
  createBuiltScript,
  frameHeaders,
  hashesOfStyles,
  quietRoute,
} from './static-files.ts'

const missing = 'The payment page is not built. Run `npm run build:checkout` and try again.'

export type CheckoutPages = {
  readonly folder: string
  readonly mode: Mode
  /** The origins that may embed the payment element of this publishable token. Empty: none. */
  readonly elementOrigins: (publishableToken: string, address: string) => Promise<readonly string[]>
}

export function addCheckoutPages(
  app: FastifyInstance,
  { folder, mode, elementOrigins }: CheckoutPages,
): void {
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
  addElementPages(app, { folder: `${folder}/element`, mode, elementOrigins })
}

/**
 * The frame of the payment element, and the script with which pages of merchants embed it. The page names its origin in
 * the URL, and the frame accepts its first message from this origin only.
 */
function addElementPages(app: FastifyInstance, { folder, mode, elementOrigins }: CheckoutPages): void {
  const sendFrame = createBuiltPage({
    folder,
    name: 'element.html',
    missing,
    headers: frameHeaders,
    policyOf: async (html, { params, query, ip }) => {
      const { publishable_token: token = '' } = params as Readonly<Record<string, string>>
      const { origin, fields } = query as Readonly<Record<string, unknown>>
      const allowed = await elementOrigins(token, ip)
      const ancestors = allowed.includes(origin as string) ? allowed : []
      return policyOf(html, cardFieldsSources(fields, mode), ancestors)
    },
  })
  const sendAsset = createBuiltAssets(folder)
  app.get('/e/:publishable_token/payment', quietRoute, sendFrame)
  app.get('/elements/v1.js', quietRoute, createBuiltScript(folder, 'v1.js', missing))
  app.get<{ Params: { name: string } }>('/elements/assets/:name', quietRoute, (request, reply) =>
    sendAsset(request.params.name, request, reply),
  )
}

/**
 * The content security policy of the page. Only pages of the origins `ancestors` may embed it. Scripts of a component
 * are not written for Trusted Types, as far as their documentation says, so a page with fields does not require them.
 * Has no side effects.
 */
export function policyOf(
  html: string,
  fields: CardFieldsSources | null = null,
  ancestors: readonly string[] = [],
): string {
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
    ['frame-ancestors', ...(ancestors.length === 0 ? ["'none'"] : ancestors)].join(' '),
    ...(fields === null ? ["require-trusted-types-for 'script'", "trusted-types 'none'"] : []),
  ].join('; ')
}
