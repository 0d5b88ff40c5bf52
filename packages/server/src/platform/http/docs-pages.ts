/**
 * The prebuilt documentation: a page at each URL, the same page as Markdown, and their assets. It is public,
 * so browsers may cache it and revalidate it with its ETag.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refuse } from '../../kernel/errors.ts'
import { createBuiltAssets, createBuiltPages, quietRoute } from './static-files.ts'

const missing = 'The documentation is not built. Run `npm run build:docs` and try again.'

/** The page for unknown URLs. */
const notFoundPage = '404.html'

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

/** For images and text files that are opened directly. Images may contain styles, but scripts do not run. */
const filePolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"

export function addDocsPages(app: FastifyInstance, folder: string): void {
  const sendAsset = createBuiltAssets(folder)
  const pages = createBuiltPages(`${folder}/pages`)

  const sendPath = async (
    path: string,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const name = nameOf(path)
    const isFile = name !== null && !name.endsWith('.html')
    if (name !== null && name !== notFoundPage && (await pages.has(name))) {
      reply.header('content-security-policy', isFile ? filePolicy : docsPolicy)
      return pages.send(name, request, reply)
    }
    if (!(await pages.has(notFoundPage))) refuse('page_not_built', { detail: missing })
    // Visitors see a page; the log records the same error code as for other unknown paths.
    request.state.errorCode = 'unknown_path'
    reply.header('content-security-policy', docsPolicy)
    return pages.send(notFoundPage, request, reply.code(404))
  }

  app.get<{ Params: { name: string } }>('/docs/assets/:name', quietRoute, (request, reply) =>
    sendAsset(request.params.name, request, reply),
  )
  app.get('/docs', quietRoute, (request, reply) => sendPath('', request, reply))
  app.get<{ Params: { '*': string } }>('/docs/*', quietRoute, (request, reply) =>
    sendPath(request.params['*'], request, reply),
  )
  app.get('/llms.txt', quietRoute, (request, reply) => sendPath('llms.txt', request, reply))
}

const fileEnding = /\.(md|txt|svg|png|yaml|json)$/
const pathPart = /^[a-z0-9_-][a-z0-9_.-]*$/

/**
 * The file for a path below /docs; null if the path is not valid. No part starts with a dot, so path traversal is
 * impossible. Has no side effects.
 */
export function nameOf(path: string): string | null {
  const trimmed = path.replace(/\/$/, '')
  if (trimmed === '') return 'index.html'
  if (trimmed.length > 200 || !trimmed.split('/').every((part) => pathPart.test(part))) return null
  return fileEnding.test(trimmed) ? trimmed : `${trimmed}.html`
}
