/**
 * What is sent as it was built, packed as browsers take it. Packing takes longer than a thousand answers, so it is
 * done beside the requests, and once for each content, whichever address serves it.
 */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Cache, createCache } from '../cache.ts'

export type Packed = {
  readonly plain: Buffer
  /** Null: it is dense already. */
  readonly gzip: Buffer | null
  readonly brotli: Buffer | null
  /** Of the content, however it is packed. */
  readonly tag: string
}

/** The highest takes more than ten times as long, for a seventh of the size. */
const brotliQuality = 9

/** More than there are files, so that nobody who walks through all of them has any packed again. */
const known: Cache<Packed> = createCache({ ttlMs: 3_600_000, maxEntries: 3_000 })

export function packed(plain: Buffer, isDense: boolean): Promise<Packed> {
  const tag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`
  return known.get(tag, () =>
    isDense ? Promise.resolve({ plain, gzip: null, brotli: null, tag }) : pack(plain, tag),
  )
}

/**
 * For many files: packs one of them after the other. The threads that pack are those that read files and look up
 * names, and whoever fetches hundreds of pages at once must not have all of them.
 */
export function createPackedInTurn(): typeof packed {
  let turn: Promise<unknown> = Promise.resolve()
  return (plain, isDense) => {
    const done = turn.then(() => packed(plain, isDense))
    // One that fails tells whoever waits for it, and not the next.
    turn = done.catch(() => undefined)
    return done
  }
}

async function pack(plain: Buffer, tag: string): Promise<Packed> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: brotliQuality }
  return {
    plain,
    gzip: await promisify(gzip)(plain, { level: constants.Z_BEST_COMPRESSION }),
    brotli: await promisify(brotliCompress)(plain, { params }),
    tag,
  }
}

export function sendPacked({ headers }: FastifyRequest, reply: FastifyReply, file: Packed): FastifyReply {
  const accepted = String(headers['accept-encoding'] ?? '')
  reply.header('vary', 'accept-encoding')
  if (file.brotli && /\bbr\b/.test(accepted)) return reply.header('content-encoding', 'br').send(file.brotli)
  if (file.gzip && /\bgzip\b/.test(accepted)) return reply.header('content-encoding', 'gzip').send(file.gzip)
  return reply.send(file.plain)
}

/** Sends only what the reader does not have. A refusal is always sent: whoever has the page of it has no answer. */
export function sendUnlessKnown(request: FastifyRequest, reply: FastifyReply, file: Packed): FastifyReply {
  reply.headers({ etag: file.tag, vary: 'accept-encoding' })
  const isAnswer = reply.statusCode === 200
  if (isAnswer && namesTag(request.headers['if-none-match'], file.tag)) return reply.code(304).send()
  return sendPacked(request, reply, file)
}

/** Pure. A list of tags, compared weakly: proxies that pack anew make strong ones weak. */
function namesTag(list: string | undefined, tag: string): boolean {
  const tags = (list ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''))
  return tags.includes(tag) || tags.includes('*')
}
