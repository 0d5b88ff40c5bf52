/** Runs an operation and renders its answer, once: what is stored for repeats is what is sent. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { assert } from '../../kernel/assert.ts'
import type { Caller, StoredAnswer } from '../../kernel/caller.ts'
import { refuseMember } from '../../kernel/errors.ts'
import { crashpoint } from '../crashpoint.ts'
import { fingerprintOf, scopeOf } from './idempotency.ts'
import type { Call, Operation } from './operation.ts'
import type { JsonObject, Versions } from './versions.ts'

export function respond(operation: Operation, versions: Versions) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const answer = new Answer(operation, versions, request, reply)
    const result = await operation.verb(answer.call)
    crashpoint('reply.lost')
    const body = answer.render(result)
    const etag = etagOf(operation, result)
    if (etag !== null) reply.header('etag', etag)
    return reply
      .code(operation.status ?? 200)
      .type('application/json')
      .send(body)
  }
}

/** One answer in the making. It remembers its text, so that storing and sending cannot differ. */
export class Answer {
  readonly call: Call<unknown, unknown, unknown>
  readonly #operation: Operation
  readonly #versions: Versions
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply
  #rendered: { readonly result: unknown; readonly text: string } | null = null

  constructor(operation: Operation, versions: Versions, request: FastifyRequest, reply: FastifyReply) {
    this.#operation = operation
    this.#versions = versions
    this.#request = request
    this.#reply = reply
    const { params, query, body } = request
    this.call = {
      caller: this.#caller(),
      params,
      query,
      body,
      ifMatch: readIfMatch(operation, request.headers['if-match']),
    }
  }

  render(result: unknown): string {
    if (this.#rendered === null || this.#rendered.result !== result) {
      const presented = this.#operation.present(result, this.call)
      this.#request.progress.answered = presented
      this.#rendered = { result, text: this.#textOf(presented) }
    }
    return this.#rendered.text
  }

  /** Cut to the declared schema first, then brought down to the caller's version. */
  #textOf(presented: object): string {
    const { version } = this.#request.progress
    const text = this.#reply.serializeInput(
      presented as JsonObject,
      String(this.#operation.status ?? 200),
    ) as string
    if (version === this.#versions.current) return text
    return JSON.stringify(this.#versions.down(version, this.#operation.id, JSON.parse(text)))
  }

  #caller(): Caller {
    const { caller, version } = this.#request.progress
    assert(caller?.request, 'An operation runs behind the door that sets its caller.')
    const { idempotencyKey: key } = caller.request
    if (key === null || caller.tokenId === null) return caller
    const { params, query, body } = this.#request
    const { workspaceId, tokenId } = caller
    const replay = {
      scope: scopeOf({ workspaceId, tokenId, operation: this.#operation.id, params, key }),
      fingerprint: fingerprintOf({ query, body, version }),
      render: (result: unknown): StoredAnswer => ({
        status: this.#operation.status ?? 200,
        etag: etagOf(this.#operation, result),
        body: this.#withoutSecrets(this.render(result)),
      }),
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

function refuseIfMatch(detail: string): never {
  return refuseMember('/headers/if-match', 'bad_format', detail)
}
