/** Runs an operation and renders its response once: the stored response is the one that is sent. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { assert } from '../../kernel/assert.ts'
import { type Caller, holderOf, type RenderedResponse } from '../../kernel/caller.ts'
import { type Refusal, refuseMember } from '../../kernel/errors.ts'
import { crashpoint } from '../crashpoint.ts'
import type { HttpContext } from './http-context.ts'
import { fingerprintOf, scopeOf } from './idempotency.ts'
import type { Call, Document, Operation } from './operation.ts'
import { problemOf } from './problems.ts'
import type { JsonObject } from './versions.ts'

export function respond(operation: Operation, context: Pick<HttpContext, 'versions' | 'addresses' | 'mode'>) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const renderer = new ResponseRenderer(operation, context, request, reply)
    const result = await operation.handle(renderer.call)
    crashpoint('reply.lost')
    const { document } = operation
    if (document !== undefined) return sendDocument(reply, document, renderer.documentOf(result))
    const { status, etag, body } = renderer.render(result)
    if (etag !== null) reply.header('etag', etag)
    return reply.code(status).type(typeOf(status)).send(body)
  }
}

/** Displayed in the browser instead of downloaded, without content sniffing. */
function sendDocument(reply: FastifyReply, mediaType: string, { name, bytes }: Document) {
  return reply
    .header('content-disposition', `inline; filename="${name}"`)
    .header('x-content-type-options', 'nosniff')
    .type(mediaType)
    .send(Buffer.from(bytes))
}

/** Errors are problem documents, even when they are replayed for a repeated idempotency key. */
export function typeOf(status: number): string {
  return status < 400 ? 'application/json' : 'application/problem+json'
}

/** A response being rendered. It caches its text, so that the stored and the sent text cannot differ. */
export class ResponseRenderer {
  readonly call: Call<unknown, unknown, unknown>
  readonly #operation: Operation
  readonly #context: Pick<HttpContext, 'versions' | 'addresses' | 'mode'>
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply
  #rendered: { readonly result: unknown; readonly response: RenderedResponse } | null = null

  constructor(
    operation: Operation,
    context: Pick<HttpContext, 'versions' | 'addresses' | 'mode'>,
    request: FastifyRequest,
    reply: FastifyReply,
  ) {
    this.#operation = operation
    this.#context = context
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

  render(result: unknown): RenderedResponse {
    if (this.#rendered === null || this.#rendered.result !== result) {
      const refusal = this.#operation.refusal?.(result) ?? null
      const response = refusal === null ? this.#success(result) : this.#refusal(refusal)
      this.#rendered = { result, response }
    }
    return this.#rendered.response
  }

  /** Operations that return documents change nothing, so their responses are not stored for idempotency. */
  documentOf(result: unknown): Document {
    return this.#operation.present(result, this.call) as Document
  }

  #success(result: unknown): RenderedResponse {
    const accepted = this.#operation.accepted?.present(result) ?? null
    const status = accepted === null ? (this.#operation.status ?? 200) : 202
    const presented = accepted ?? this.#operation.present(result, this.call)
    this.#request.state.responseBody = presented
    const etag = accepted === null ? etagOf(this.#operation, result) : null
    return { status, etag, body: this.#textOf(presented, status) }
  }

  #refusal(refusal: Refusal): RenderedResponse {
    const { addresses, mode } = this.#context
    const problem = problemOf(refusal, this.#request.id, addresses[mode])
    this.#request.state.errorCode = refusal.code
    this.#request.state.responseBody = problem
    return { status: problem.status, etag: null, body: JSON.stringify(problem) }
  }

  /**
   * Removes members that the schema does not declare, then converts the object to the API version of the
   * caller.
   */
  #textOf(presented: object, status: number): string {
    const { version } = this.#request.state
    const text = this.#reply.serializeInput(presented as JsonObject, String(status)) as string
    const { versions } = this.#context
    if (version === versions.current) return text
    return JSON.stringify(versions.down(version, this.#operation.id, JSON.parse(text)))
  }

  #caller(): Caller {
    const { caller, version } = this.#request.state
    assert(caller?.request, 'An operation must run after the hook that sets its caller.')
    const { idempotencyKey: key } = caller.request
    const holder = holderOf(caller)
    if (key === null || holder === null) return caller
    const { params, query, body } = this.#request
    const { workspaceId } = caller
    const { bodyForIdempotency = (whole: unknown) => whole } = this.#operation
    const replay = {
      scope: scopeOf({ workspaceId, holder, operation: this.#operation.id, params, key }),
      fingerprint: fingerprintOf({ query, body: bodyForIdempotency(body), version }),
      render: (result: unknown): RenderedResponse => {
        const response = this.render(result)
        return { ...response, body: this.#withoutSecrets(response.body) }
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
  if (!takesIfMatch) return refuseIfMatch('is not supported by this operation')
  const match = /^(?:W\/)?"?(\d{1,9})"?$/.exec(header)
  if (match !== null) return Number(match[1])
  return refuseIfMatch('must be the version from the ETag header, such as "3"')
}

/** A missing header is an empty string; the operation decides how to treat it. */
function headersOf(
  { headers = {} }: Operation,
  requestHeaders: FastifyRequest['headers'],
): Record<string, string> {
  return Object.fromEntries(Object.keys(headers).map((name) => [name, String(requestHeaders[name] ?? '')]))
}

function refuseIfMatch(detail: string): never {
  return refuseMember('/headers/if-match', 'bad_format', detail)
}
