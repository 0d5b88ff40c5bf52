/**
 * Serves prebuilt pages from memory: one document and its assets, the same for everyone, without any database
 * query. The caller defines the content security policy.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { refuse } from '../../kernel/errors.ts'
import { type Cache, createCache } from '../cache.ts'
import {
  type CompressedContent,
  compress,
  createSequentialCompressor,
  sendCompressed,
  sendUnlessCached,
} from './compression.ts'

/** A page may be rebuilt while the server runs; it is read again after this time. */
const cacheMs = 2_000
/** Names of built files contain a hash of their content, so browsers can cache them forever. */
const assetName = /^[A-Za-z0-9_.-]{1,80}-[A-Za-z0-9_-]{8,16}\.(js|css|json|woff2|svg|png)$/
const types: { readonly [extension: string]: string } = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json; charset=utf-8',
  woff2: 'font/woff2',
  svg: 'image/svg+xml',
  png: 'image/png',
  html: 'text/html; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  yaml: 'application/yaml; charset=utf-8',
}
/** Already compressed formats. */
const compressedFormats = /\.(woff2|png)$/

type Send = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>
type SendNamed = (name: string, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

/**
 * Serves the document `name` in `folder` with the content security policy that `policyOf` returns. `missing`
 * is the error message if the document does not exist.
 */
export function createBuiltPage(options: {
  readonly folder: string
  readonly name?: string
  readonly missing: string
  readonly headers?: Readonly<Record<string, string>>
  readonly policyOf: (html: string, request: FastifyRequest) => string | Promise<string>
}): Send {
  const { folder, name = 'index.html', missing, headers = pageHeaders, policyOf } = options
  const pages: Cache<CompressedContent> = createCache({ ttlMs: cacheMs, maxEntries: 1 })
  return async (request, reply) => {
    const page = await pages.get(name, async () => {
      const plain = await readBuilt(`${folder}/${name}`)
      return compress(plain ?? refuse('page_not_built', { detail: missing }), false)
    })
    reply.headers({
      'content-security-policy': await policyOf(page.plain.toString(), request),
      ...headers,
    })
    return sendCompressed(request, reply.type('text/html; charset=utf-8'), page)
  }
}

/** Serves the assets of pages by their names in the subfolder `assets`. */
export function createBuiltAssets(folder: string): SendNamed {
  const assets: Cache<CompressedContent> = createCache({ ttlMs: 3_600_000, maxEntries: 300 })
  return async (name, request, reply) => {
    const extension = assetName.exec(name)?.[1] ?? refuse('unknown_path')
    const file = await assets.get(name, async () => {
      const plain = await readBuilt(`${folder}/assets/${name}`)
      return compress(plain ?? refuse('unknown_path'), compressedFormats.test(name))
    })
    reply.headers({ 'cache-control': 'public, max-age=31536000, immutable', ...assetHeaders })
    return sendCompressed(request, reply.type(types[extension] as string), file)
  }
}

/** Pages and files below `folder`, read on demand. */
export type BuiltPages = {
  has(name: string): Promise<boolean>
  /** Sends an existing file. The caller sets its content security policy. */
  readonly send: SendNamed
}

export function createBuiltPages(folder: string): BuiltPages {
  const pages: Cache<CompressedContent | null> = createCache({ ttlMs: cacheMs, maxEntries: 200 })
  const compressSequentially = createSequentialCompressor()
  const read = (name: string): Promise<CompressedContent | null> =>
    pages.get(name, async () => {
      const plain = await readBuilt(`${folder}/${name}`)
      return plain === null ? null : compressSequentially(plain, compressedFormats.test(name))
    })
  return {
    has: async (name) => (await read(name)) !== null,
    async send(name, request, reply) {
      const page = (await read(name)) ?? refuse('unknown_path')
      const extension = /[^.]*$/.exec(name)?.[0] ?? ''
      reply.headers(publicHeaders).type(types[extension] ?? 'application/octet-stream')
      return sendUnlessCached(request, reply, page)
    },
  }
}

/** Pages are opened often; a log line for each would hide important ones. */
export const quietRoute = { config: { isQuiet: true } }

const assetHeaders = {
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
}
/** The URL of a page may contain a secret, and the page must not be framed. */
const pageHeaders = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), usb=()',
}

/** A page that other sites may embed: `frame-ancestors` of its content security policy limits which ones. */
export const frameHeaders = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'cross-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), usb=()',
}

/** A script that pages of other sites load. Browsers revalidate it, because its name has no hash. */
export function createBuiltScript(folder: string, name: string, missing: string): Send {
  const scripts: Cache<CompressedContent> = createCache({ ttlMs: cacheMs, maxEntries: 1 })
  return async (request, reply) => {
    const script = await scripts.get(name, async () => {
      const plain = await readBuilt(`${folder}/${name}`)
      return compress(plain ?? refuse('page_not_built', { detail: missing }), false)
    })
    reply.headers({
      'access-control-allow-origin': '*',
      'cache-control': 'no-cache',
      'cross-origin-resource-policy': 'cross-origin',
    })
    return sendUnlessCached(request, reply.type(types.js as string), script)
  }
}

/** For public pages: browsers may cache them, but revalidate before use. */
const publicHeaders = {
  ...pageHeaders,
  'cache-control': 'no-cache',
}

/** Allows inline styles by the hash of their content only. Has no side effects. */
export function hashesOfStyles(html: string): readonly string[] {
  return [...html.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(
    ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  )
}

async function readBuilt(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path)
  } catch {
    return null
  }
}
