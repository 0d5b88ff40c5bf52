/**
 * Pages that were built beforehand, from memory: one document and its files, the same for everybody. Opening them
 * asks nobody for anything. What a page may do is said by whoever serves it.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { refuse } from '../../kernel/errors.ts'
import { type Cache, createCache } from '../cache.ts'
import { createPackedInTurn, type Packed, packed, sendPacked, sendUnlessKnown } from './packing.ts'

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
  html: 'text/html; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  yaml: 'application/yaml; charset=utf-8',
}
/** They are packed already. */
const dense = /\.(woff2|png)$/

type Send = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>
type SendNamed = (name: string, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

/** The one document in `folder`, with what `policyOf` lets it do. `missing` is said when it is not there. */
export function createBuiltPage(options: {
  readonly folder: string
  readonly missing: string
  readonly policyOf: (html: string) => string
}): Send {
  const { folder, missing, policyOf } = options
  const pages: Cache<Packed> = createCache({ ttlMs: rememberMs, maxEntries: 1 })
  return async (request, reply) => {
    const page = await pages.get('index.html', async () => {
      const plain = await readBuilt(`${folder}/index.html`)
      return packed(plain ?? refuse('page_not_built', { detail: missing }), false)
    })
    reply.headers({ 'content-security-policy': policyOf(page.plain.toString()), ...pageHeaders })
    return sendPacked(request, reply.type('text/html; charset=utf-8'), page)
  }
}

/** The files that pages load, by their names in `assets`. */
export function createBuiltAssets(folder: string): SendNamed {
  const assets: Cache<Packed> = createCache({ ttlMs: 3_600_000, maxEntries: 300 })
  return async (name, request, reply) => {
    const ending = assetName.exec(name)?.[1] ?? refuse('unknown_path')
    const file = await assets.get(name, async () => {
      const plain = await readBuilt(`${folder}/assets/${name}`)
      return packed(plain ?? refuse('unknown_path'), dense.test(name))
    })
    reply.headers({ 'cache-control': 'public, max-age=31536000, immutable', ...assetHeaders })
    return sendPacked(request, reply.type(types[ending] as string), file)
  }
}

/** Pages and files that have their own names below `folder`, read when they are asked for. */
export type BuiltPages = {
  has(name: string): Promise<boolean>
  /** Sends one that is there. What it may do is said by whoever asks for it to be sent. */
  readonly send: SendNamed
}

export function createBuiltPages(folder: string): BuiltPages {
  const pages: Cache<Packed | null> = createCache({ ttlMs: rememberMs, maxEntries: 200 })
  const packedInTurn = createPackedInTurn()
  const read = (name: string): Promise<Packed | null> =>
    pages.get(name, async () => {
      const plain = await readBuilt(`${folder}/${name}`)
      return plain === null ? null : packedInTurn(plain, dense.test(name))
    })
  return {
    has: async (name) => (await read(name)) !== null,
    async send(name, request, reply) {
      const page = (await read(name)) ?? refuse('unknown_path')
      const ending = /[^.]*$/.exec(name)?.[0] ?? ''
      reply.headers(openHeaders).type(types[ending] ?? 'application/octet-stream')
      return sendUnlessKnown(request, reply, page)
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

/** For pages that are no secret: they may be kept, and are asked about before they are shown again. */
const openHeaders = {
  ...pageHeaders,
  'cache-control': 'no-cache',
}

/** Pure. Styles that stand in the page itself are let in by what they hold, and by nothing else. */
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
