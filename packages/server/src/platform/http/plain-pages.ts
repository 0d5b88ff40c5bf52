/** Serves the OpenAPI document, and plain pages for payers. Other pages are in docs-pages.ts. */
import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { escapeHtml } from '../../kernel/escape-html.ts'
import { type CompressedContent, compress, sendUnlessCached } from './compression.ts'
import type { JsonObject } from './versions.ts'

export function addOpenApiDocument(
  app: FastifyInstance,
  document: () => JsonObject,
  address: () => string,
): void {
  // Created by the first request. It has the address of this server, so that generated clients call it.
  let content: Promise<CompressedContent> | null = null
  app.get('/openapi.json', async (request, reply) => {
    content ??= compress(Buffer.from(JSON.stringify({ ...document(), servers: [{ url: address() }] })), false)
    return sendUnlessCached(request, reply.type('application/json; charset=utf-8'), await content)
  })
}

/** A heading and a sentence, for payers who are being redirected. */
export function plainPage(title: string, text: string): string {
  return pageWith(title, `<p>${escapeHtml(text)}</p>`)
}

// Calls the method of the prototype, because a field of the form may be called `submit` and hide it.
const submitScript = 'HTMLFormElement.prototype.submit.call(document.forms[0])'
/** For the content security policy of `formPage`. */
export const submitScriptHash = `sha256-${createHash('sha256').update(submitScript).digest('base64')}`

/** A form that is submitted automatically. Without JavaScript the payer presses the button. */
export function formPage(to: string, fields: Readonly<Record<string, string>>): string {
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  )
  return pageWith(
    'Confirm your payment',
    `<form method="post" action="${escapeHtml(to)}">
${inputs.join('\n')}
<p>Your bank asks you to confirm this payment.</p>
<button>Continue</button>
</form>
<script>${submitScript}</script>`,
  )
}

function pageWith(title: string, html: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
<style>
  :root { color-scheme: light dark }
  body { font: 1rem/1.6 system-ui, sans-serif; max-width: 28rem; margin: 4rem auto; padding: 0 1rem }
</style>
<main>
<h1>${escapeHtml(title)}</h1>
${html}
</main>
</html>
`
}
