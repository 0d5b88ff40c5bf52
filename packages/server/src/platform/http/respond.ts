/** Runs an operation and renders its answer, once: what is stored for repeats is what is sent. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { assert } from '../../kernel/assert.ts'
import { type Caller, holderOf, type StoredAnswer } from '../../kernel/caller.ts'
import { type Refusal, refuseMember } from '../../kernel/errors.ts'
import { crashpoint } from '../crashpoint.ts'
import { fingerprintOf, scopeOf } from './idempotency.ts'
import type { Call, Document, Operation } from './operation.ts'
import { problemOf } from './problems.ts'
import type { Site } from './site.ts'
import type { JsonObject } from './versions.ts'

export function respond(operation: Operation, site: Pick<Site, 'versions' | 'addresses' | 'mode'>) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const answer = new Answer(operation, site, request, reply)
    const result = await operation.verb(answer.call)
    crashpoint('reply.lost')
    const { document } = operation
    if (document !== undefined) return sendDocument(reply, document, answer.documentOf(result))
    const { status, etag, body } = answer.render(result)
    if (etag !== null) reply.header('etag', etag)
    return reply.code(status).type(typeOf(status)).send(body)
  }
}

/** Shown in the browser rather than kept, and never guessed to be something else. */
function sendDocument(reply: FastifyReply, mediaType: string, { name, bytes }: Document) {
  return reply
    .header('content-disposition', `inline; filename="${name}"`)
    .header('x-content-type-options', 'nosniff')
    .type(mediaType)
    .send(Buffer.from(bytes))
}

/** What is refused is a problem, also when it is kept for repeats. */
export function typeOf(status: number): string {
  return status < 400 ? 'application/json' : 'application/problem+json'
}

/** One answer in the making. It remembers its text, so that storing and sending cannot differ. */
export class Answer {
  readonly call: Call<unknown, unknown, unknown>
  readonly #operation: Operation
  readonly #site: Pick<Site, 'versions' | 'addresses' | 'mode'>
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply
  #rendered: { readonly result: unknown; readonly answer: StoredAnswer } | null = null

  constructor(
    operation: Operation,
    site: Pick<Site, 'versions' | 'addresses' | 'mode'>,
    request: FastifyRequest,
    reply: FastifyReply,
  ) {
    this.#operation = operation
    this.#site = site
    this.#request = request
    this.#reply = reply
    const { params, query, body } = request
    this.call = {
      caller: this.#caller(),
      params,
      query,
      body,
      ifMatch: readIfMatch(operation, request.headers['if-match']),
      headers: headersOf(operation, request.headers),
      address: request.ip,
    }
  }

  render(result: unknown): StoredAnswer {
    if (this.#rendered === null || this.#rendered.result !== result) {
      const refusal = this.#operation.refusal?.(result) ?? null
      const answer = refusal === null ? this.#success(result) : this.#refusal(refusal)
      this.#rendered = { result, answer }
    }
    return this.#rendered.answer
  }

  /** Documents are read, never made: there is nothing to keep for a repeat. */
  documentOf(result: unknown): Document {
    return this.#operation.present(result, this.call) as Document
  }

  #success(result: unknown): StoredAnswer {
    const accepted = this.#operation.accepted?.present(result) ?? null
    const status = accepted === null ? (this.#operation.status ?? 200) : 202
    const presented = accepted ?? this.#operation.present(result, this.call)
    this.#request.progress.answered = presented
    const etag = accepted === null ? etagOf(this.#operation, result) : null
    return { status, etag, body: this.#textOf(presented, status) }
  }

  #refusal(refusal: Refusal): StoredAnswer {
    const { addresses, mode } = this.#site
    const problem = problemOf(refusal, this.#request.id, addresses[mode])
    this.#request.progress.errorCode = refusal.code
    this.#request.progress.answered = problem
    return { status: problem.status, etag: null, body: JSON.stringify(problem) }
  }

  /** Cut to the declared schema first, then brought down to the caller's version. */
  #textOf(presented: object, status: number): string {
    const { version } = this.#request.progress
    const text = this.#reply.serializeInput(presented as JsonObject, String(status)) as string
    const { versions } = this.#site
    if (version === versions.current) return text
    return JSON.stringify(versions.down(version, this.#operation.id, JSON.parse(text)))
  }

  #caller(): Caller {
    const { caller, version } = this.#request.progress
    assert(caller?.request, 'An operation runs behind the door that sets its caller.')
    const { idempotencyKey: key } = caller.request
    const holder = holderOf(caller)
    if (key === null || holder === null) return caller
    const { params, query, body: sent } = this.#request
    const { workspaceId } = caller
    const { comparable = (all: unknown) => all } = this.#operation
    const replay = {
      scope: scopeOf({ workspaceId, holder, operation: this.#operation.id, params, key }),
      fingerprint: fingerprintOf({ query, body: comparable(sent), version }),
      render: (result: unknown): StoredAnswer => {
        const answer = this.render(result)
        return { ...answer, body: this.#withoutSecrets(answer.body) }
      },
    }
    return { ...caller, request: { ...caller.request, replay } }
  }

  #withoutSecrets(text: string): string {
    const { shownOnce } = this.#operation
    if (shownOnce === undefined) return text
    const hidden = Object.fromEntries(shownOnce.map((name) => [name, null]))
    return JSON.stringify({ ...JSON.parse(text), ...hidden })
  }
}

function etagOf({ version }: Operation, result: unknown): string | null {
  return version === undefined ? null : `"${version(result)}"`
}

function readIfMatch({ takesIfMatch }: Operation, header: string | undefined): number | null {
  if (header === undefined || header === '*') return null
  if (!takesIfMatch) return refuseIfMatch('is not possible with this operation')
  const match = /^(?:W\/)?"?(\d{1,9})"?$/.exec(header)
  if (match !== null) return Number(match[1])
  return refuseIfMatch('must be the version that the header ETag gave, such as "3"')
}

/** What is missing is empty: the verb says what that means. */
function headersOf({ headers = {} }: Operation, sent: FastifyRequest['headers']): Record<string, string> {
  return Object.fromEntries(Object.keys(headers).map((name) => [name, String(sent[name] ?? '')]))
}

function refuseIfMatch(detail: string): never {
  return refuseMember('/headers/if-match', 'bad_format', detail)
}
