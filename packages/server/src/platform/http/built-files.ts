/**
 * Pages that were built beforehand, from memory: one document and its files, the same for everybody. Opening them
 * asks nobody for anything. What a page may do is said by whoever serves it.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { refuse } from '../../kernel/errors.ts'
import { type Cache, createCache } from '../cache.ts'

/** A page may be built while the server runs; it is looked at again after this long. */
const rememberMs = 2_000
/** Names of built files carry a hash of what they hold, so whoever has one never needs to ask again. */
const assetName = /^[A-Za-z0-9_.-]{1,80}-[A-Za-z0-9_-]{8,16}\.(js|css|json|woff2|svg|png)$/
const types: { readonly [ending: string]: string } = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json; charset=utf-8',
  woff2: 'font/woff2',
  svg: 'image/svg+xml',
  png: 'image/png',
}
/** They are packed already. */
const dense = /\.(woff2|png)$/

type Packed = { readonly plain: Buffer; readonly gzip: Buffer | null; readonly brotli: Buffer | null }
type Page = Packed & { readonly html: string }

export type BuiltFiles = {
  /** Sends the document, with the headers that `headersFor` gives it. */
  sendPage(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
  sendAsset(name: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
}

export function createBuiltFiles(options: {
  readonly folder: string
  /** Said when there is no page. */
  readonly missing: string
  readonly policyOf: (html: string) => string
}): BuiltFiles {
  const { folder, missing } = options
  const pages: Cache<Page> = createCache({ ttlMs: rememberMs, maxEntries: 1 })
  const assets: Cache<Packed> = createCache({ ttlMs: 3_600_000, maxEntries: 300 })
  let last: Page | null = null

  return {
    async sendPage(request, reply) {
      const page = await pages.get('index.html', async () => {
        last = await readPage(folder, missing, last)
        return last
      })
      reply.headers({ 'content-security-policy': options.policyOf(page.html), ...pageHeaders })
      return send(request, reply.type('text/html; charset=utf-8'), page)
    },
    async sendAsset(name, request, reply) {
      const ending = assetName.exec(name)?.[1] ?? refuse('unknown_path')
      const file = await assets.get(name, async () => {
        const plain = await readBuilt(`${folder}/assets/${name}`)
        return packed(plain ?? refuse('unknown_path'), dense.test(name))
      })
      reply.headers({ 'cache-control': 'public, max-age=31536000, immutable', ...assetHeaders })
      return send(request, reply.type(types[ending] as string), file)
    },
  }
}

/** People open pages all day; a line for each would hide what matters. */
export const quiet = { config: { isQuiet: true } }

const assetHeaders = {
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
}
/** An address of a page may be a secret of its reader, and the page is for nobody's frame. */
const pageHeaders = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), usb=()',
}

/** Pure. Styles that stand in the page itself are let in by what they hold, and by nothing else. */
export function hashesOfStyles(html: string): readonly string[] {
  return [...html.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(
    ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  )
}

/** Packed only if it has changed: that takes longer than a thousand answers. */
async function readPage(folder: string, missing: string, last: Page | null): Promise<Page> {
  const plain = (await readBuilt(`${folder}/index.html`)) ?? refuse('page_not_built', { detail: missing })
  if (last?.plain.equals(plain)) return last
  return { ...packed(plain, false), html: plain.toString() }
}

function packed(plain: Buffer, isDense: boolean): Packed {
  if (isDense) return { plain, gzip: null, brotli: null }
  return { plain, gzip: gzipSync(plain, { level: 9 }), brotli: brotliCompressSync(plain) }
}

async function readBuilt(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path)
  } catch {
    return null
  }
}

function send({ headers }: FastifyRequest, reply: FastifyReply, file: Packed): FastifyReply {
  const accepted = String(headers['accept-encoding'] ?? '')
  reply.header('vary', 'accept-encoding')
  if (file.brotli && /\bbr\b/.test(accepted)) return reply.header('content-encoding', 'br').send(file.brotli)
  if (file.gzip && /\bgzip\b/.test(accepted)) return reply.header('content-encoding', 'gzip').send(file.gzip)
  return reply.send(file.plain)
}
