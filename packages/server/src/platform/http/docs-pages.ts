/**
 * The documentation, built beforehand: a page at each address, the same as Markdown, and what the pages need. They
 * are for everybody, so browsers may keep them; before one is shown again, its tag is asked for.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refuse } from '../../kernel/errors.ts'
import { createBuiltAssets, createBuiltPages, quiet } from './built-files.ts'

const missing = 'The documentation is not built. Run `npm run build:docs` and try again.'

/** Said where there is no page. */
const nowhere = '404.html'

export const docsPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

/** A picture or a text that somebody opens by itself. A picture may style itself, and runs nothing. */
const filePolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"

export function addDocsPages(app: FastifyInstance, folder: string): void {
  const sendAsset = createBuiltAssets(folder)
  const pages = createBuiltPages(`${folder}/pages`)

  const sendAt = async (
    path: string,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const name = nameOf(path)
    const isFile = name !== null && !name.endsWith('.html')
    if (name !== null && name !== nowhere && (await pages.has(name))) {
      reply.header('content-security-policy', isFile ? filePolicy : docsPolicy)
      return pages.send(name, request, reply)
    }
    if (!(await pages.has(nowhere))) refuse('page_not_built', { detail: missing })
    // For people it is a page; in the log it is what it is at any other address.
    request.progress.errorCode = 'unknown_path'
    reply.header('content-security-policy', docsPolicy)
    return pages.send(nowhere, request, reply.code(404))
  }

  app.get<{ Params: { name: string } }>('/docs/assets/:name', quiet, (request, reply) =>
    sendAsset(request.params.name, request, reply),
  )
  app.get('/docs', quiet, (request, reply) => sendAt('', request, reply))
  app.get<{ Params: { '*': string } }>('/docs/*', quiet, (request, reply) =>
    sendAt(request.params['*'], request, reply),
  )
  app.get('/llms.txt', quiet, (request, reply) => sendAt('llms.txt', request, reply))
}

const file = /\.(md|txt|svg|png|yaml|json)$/
const word = /^[a-z0-9_-][a-z0-9_.-]*$/

/** Pure. The file of an address below /docs; null: it can have none. No part begins with a dot, so none leads out. */
export function nameOf(path: string): string | null {
  const plain = path.replace(/\/$/, '')
  if (plain === '') return 'index.html'
  if (plain.length > 200 || !plain.split('/').every((part) => word.test(part))) return null
  return file.test(plain) ? plain : `${plain}.html`
}
