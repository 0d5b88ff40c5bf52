/** What a person opens in a browser: the reference, and a page for each error. Nothing comes from another host. */
import scalar from '@scalar/fastify-api-reference'
import type { FastifyInstance } from 'fastify'
import { type ErrorCode, errors, refuse } from '../../kernel/errors.ts'
import type { JsonObject } from './versions.ts'

/** The reference runs a script of its own and styles itself; forms and frames it has none. */
const referencePolicy =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"

export function addPages(app: FastifyInstance, document: JsonObject, address: () => string): void {
  // Served, the document names this very address, so that a call made from the reference goes to it.
  let text: string | null = null
  app.get('/openapi.json', async (_, reply) => {
    text ??= JSON.stringify({ ...document, servers: [{ url: address() }] })
    return reply.type('application/json').send(text)
  })
  app.get<{ Params: { code: string } }>('/docs/errors/:code', async ({ params }, reply) => {
    if (!Object.hasOwn(errors, params.code)) refuse('unknown_path')
    reply.header('content-security-policy', pagePolicy)
    return reply.type('text/html; charset=utf-8').send(errorPage(params.code as ErrorCode))
  })
  app.register(async (docs) => {
    docs.addHook('onRequest', async (_, reply) => {
      reply.header('content-security-policy', referencePolicy)
    })
    await docs.register(scalar, {
      routePrefix: '/docs',
      configuration: {
        url: '/openapi.json',
        // By default it loads fonts from elsewhere and links to hosted tools.
        withDefaultFonts: false,
        favicon: 'data:,',
        telemetry: false,
        agent: { disabled: true },
        mcp: { disabled: true },
        showDeveloperTools: 'never',
        hideClientButton: true,
      },
    })
  })
}

/** The same words as in docs/reference/errors, for whoever follows `type` of an answer. */
export function errorPage(code: ErrorCode): string {
  const { status, title, cause, fix, retryable } = errors[code]
  const again = retryable
    ? 'Yes: the same request, with the same Idempotency-Key, may succeed later.'
    : 'No: the request has to change first.'
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${code} · Switchyard</title>
<style>
  :root { color-scheme: light dark }
  body { font: 1rem/1.6 system-ui, sans-serif; max-width: 42rem; margin: 3rem auto; padding: 0 1rem }
  code { font-size: .95em }
  dt { font-weight: 600; margin-top: 1rem }
  dd { margin: 0 }
</style>
<main>
<p><a href="/docs">Reference</a></p>
<h1>${title}</h1>
<p>Status ${status}, code <code>${code}</code></p>
<dl>
<dt>What causes it</dt><dd>${withCode(cause)}</dd>
<dt>What to do</dt><dd>${withCode(fix)}</dd>
<dt>Does repeating help?</dt><dd>${again}</dd>
</dl>
</main>
</html>
`
}

/** A heading and a sentence, for somebody who is on the way. */
export function plainPage(title: string, text: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<style>
  :root { color-scheme: light dark }
  body { font: 1rem/1.6 system-ui, sans-serif; max-width: 28rem; margin: 4rem auto; padding: 0 1rem }
</style>
<main>
<h1>${escaped(title)}</h1>
<p>${escaped(text)}</p>
</main>
</html>
`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

/** The catalogue writes code between backticks. */
function withCode(text: string): string {
  return escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>')
}
