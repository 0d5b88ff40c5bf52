/**
 * Compresses static content with the encodings that browsers accept. Compression takes longer than sending
 * a thousand responses, so it runs in the thread pool and the result is cached for all servers of the process.
 */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Cache, createCache } from '../cache.ts'

export type CompressedContent = {
  readonly plain: Buffer
  /** Null if the content is already compressed. */
  readonly gzip: Buffer | null
  readonly brotli: Buffer | null
  /** The ETag of the content, independent of its encoding. */
  readonly tag: string
}

/** The highest quality takes more than ten times as long and saves a seventh of the size. */
const brotliQuality = 9

/** More than the number of files, so that reading all of them does not compress any twice. */
const cache: Cache<CompressedContent> = createCache({ ttlMs: 3_600_000, maxEntries: 3_000 })

export function compress(plain: Buffer, isCompressed: boolean): Promise<CompressedContent> {
  const tag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`
  return cache.get(tag, () =>
    isCompressed ? Promise.resolve({ plain, gzip: null, brotli: null, tag }) : compressAll(plain, tag),
  )
}

/**
 * Compresses many files one after the other. Compression uses the same threads as file reads and DNS
 * lookups, and a client that fetches hundreds of pages concurrently must not occupy all of them.
 */
export function createSequentialCompressor(): typeof compress {
  let queue: Promise<unknown> = Promise.resolve()
  return (plain, isCompressed) => {
    const compressed = queue.then(() => compress(plain, isCompressed))
    // A failure rejects only its own caller.
    queue = compressed.catch(() => undefined)
    return compressed
  }
}

async function compressAll(plain: Buffer, tag: string): Promise<CompressedContent> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: brotliQuality }
  return {
    plain,
    gzip: await promisify(gzip)(plain, { level: constants.Z_BEST_COMPRESSION }),
    brotli: await promisify(brotliCompress)(plain, { params }),
    tag,
  }
}

export function sendCompressed(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  file: CompressedContent,
): FastifyReply {
  const accepted = String(headers['accept-encoding'] ?? '')
  reply.header('vary', 'accept-encoding')
  if (file.brotli && /\bbr\b/.test(accepted)) return reply.header('content-encoding', 'br').send(file.brotli)
  if (file.gzip && /\bgzip\b/.test(accepted)) return reply.header('content-encoding', 'gzip').send(file.gzip)
  return reply.send(file.plain)
}

/** Sends 304 if the client already has the content. An error page is always sent in full. */
export function sendUnlessCached(
  request: FastifyRequest,
  reply: FastifyReply,
  file: CompressedContent,
): FastifyReply {
  reply.headers({ etag: file.tag, vary: 'accept-encoding' })
  const isSuccess = reply.statusCode === 200
  if (isSuccess && matchesTag(request.headers['if-none-match'], file.tag)) return reply.code(304).send()
  return sendCompressed(request, reply, file)
}

/** Compares ETags weakly: proxies that recompress turn strong ETags into weak ones. Has no side effects. */
function matchesTag(list: string | undefined, tag: string): boolean {
  const tags = (list ?? '').split(',').map((entry) => entry.trim().replace(/^W\//, ''))
  return tags.includes(tag) || tags.includes('*')
}
