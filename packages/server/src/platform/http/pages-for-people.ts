/** The API as a document, and a plain page for somebody who is on the way. The rest is in docs-pages.ts. */
import type { FastifyInstance } from 'fastify'
import type { JsonObject } from './versions.ts'

export function addDocument(app: FastifyInstance, document: JsonObject, address: () => string): void {
  // Served, the document names this very address, so that a client that is made of it calls this one.
  let text: string | null = null
  app.get('/openapi.json', async (_, reply) => {
    text ??= JSON.stringify({ ...document, servers: [{ url: address() }] })
    return reply.type('application/json').send(text)
  })
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
