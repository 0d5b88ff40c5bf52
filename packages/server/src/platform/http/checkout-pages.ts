/**
 * The payment page: the same few files for every link and every session, from memory. Opening it asks nobody for
 * anything. What it may do is written here: it speaks to its own address, and nothing else gets in.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refuse } from '../../kernel/errors.ts'
import { type Cache, createCache } from '../cache.ts'

/** A page may be built while the server runs; it is looked at again after this long. */
const rememberMs = 2_000
/** Names of built files carry a hash of what they hold, so whoever has one never needs to ask again. */
const assetName = /^[A-Za-z0-9_-]{1,80}-[A-Za-z0-9_-]{8,16}\.(js|css|json)$/
const types: { readonly [ending: string]: string } = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json; charset=utf-8',
}

type Packed = { readonly plain: Buffer; readonly gzip: Buffer; readonly brotli: Buffer }
type Page = Packed & { readonly policy: string }

export function addCheckoutPages(app: FastifyInstance, folder: string): void {
  const pages: Cache<Page> = createCache({ ttlMs: rememberMs, maxEntries: 1 })
  let last: Page | null = null
  const assets: Cache<Packed> = createCache({ ttlMs: 3_600_000, maxEntries: 100 })

  const sendPage = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const page = await pages.get('index.html', async () => {
      last = await readPage(folder, last)
      return last
    })
    reply.headers({ 'content-security-policy': page.policy, ...pageHeaders })
    return send(request, reply.type('text/html; charset=utf-8'), page)
  }
  app.get('/l/:slug', quiet, sendPage)
  app.get('/c/:checkout_session_id', quiet, sendPage)
  app.get<{ Params: { name: string } }>('/checkout/assets/:name', quiet, async (request, reply) => {
    const { name } = request.params
    const ending = assetName.exec(name)?.[1] ?? refuse('unknown_path')
    const file = await assets.get(name, async () =>
      packed(await readBuilt(`${folder}/assets/${name}`, 'unknown_path')),
    )
    reply.headers({ 'cache-control': 'public, max-age=31536000, immutable', ...assetHeaders })
    return send(request, reply.type(types[ending] as string), file)
  })
}

/** People open pages all day; a line for each would hide what matters. */
const quiet = { config: { isQuiet: true } }

const assetHeaders = {
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
}
/** An address of a page is a secret of its payer, and the page is for nobody's frame. */
const pageHeaders = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), usb=()',
}

/** Packed only if it has changed: that takes longer than a thousand answers. */
async function readPage(folder: string, last: Page | null): Promise<Page> {
  const plain = await readBuilt(`${folder}/index.html`, 'page_not_built')
  if (last?.plain.equals(plain)) return last
  return { ...packed(plain), policy: policyOf(plain.toString()) }
}

/** Pure. Styles that stand in the page itself are let in by what they hold, and by nothing else. */
export function policyOf(html: string): string {
  const styles = [...html.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(([, text = '']) => {
    return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
  })
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

function packed(plain: Buffer): Packed {
  return { plain, gzip: gzipSync(plain, { level: 9 }), brotli: brotliCompressSync(plain) }
}

async function readBuilt(path: string, otherwise: 'page_not_built' | 'unknown_path'): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch {
    return refuse(otherwise)
  }
}

function send({ headers }: FastifyRequest, reply: FastifyReply, file: Packed): FastifyReply {
  const accepted = String(headers['accept-encoding'] ?? '')
  reply.header('vary', 'accept-encoding')
  if (/\bbr\b/.test(accepted)) return reply.header('content-encoding', 'br').send(file.brotli)
  if (/\bgzip\b/.test(accepted)) return reply.header('content-encoding', 'gzip').send(file.gzip)
  return reply.send(file.plain)
}
