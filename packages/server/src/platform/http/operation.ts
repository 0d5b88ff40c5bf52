/**
 * Operations of the API as data: name, schemas, errors, and the function that each calls. Routing,
 * validation, roles, the OpenAPI document and the test grids are generated from them, so they are always
 * consistent.
 */
import type { Static, TObject, TSchema } from 'typebox'
import type { Caller } from '../../kernel/caller.ts'
import type { ErrorCode, Refusal } from '../../kernel/errors.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** The validated input of an operation. */
export type Call<Params, Query, Body> = {
  readonly caller: Caller
  readonly params: Params
  readonly query: Query
  readonly body: Body
  /** The version in `If-Match`, for changes that apply only to the version that the caller has read. */
  readonly ifMatch: number | null
  /** The headers that the operation declares, by their lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  /** The IP address of the caller. */
  readonly address: string
}

type Contract<P extends TObject, Q extends TObject, B extends TSchema, Result> = {
  /** `<objects>.<verb>`: the key in access.ts, the operationId, and the label in metrics. */
  readonly id: string
  readonly method: Method
  /** With `:name` for parameters. */
  readonly path: string
  readonly summary: string
  readonly description?: string
  readonly params?: P
  readonly query?: Q
  readonly body?: B
  readonly status?: 200 | 201 | 202
  /** The schema of the response. */
  readonly response: TSchema
  /**
   * For a result that is not final yet: 202 with a different object. `present` returns null for a final
   * result.
   */
  readonly accepted?: { readonly response: TSchema; readonly present: (result: Result) => object | null }
  /** The codes of errors, except those that every operation can return. */
  readonly errors?: readonly ErrorCode[]
  readonly present: (result: Result, call: Call<Static<P>, Static<Q>, Static<B>>) => object
  /**
   * A result that is returned as an error, and stored for idempotency like any response, because it had an
   * effect.
   */
  readonly refusal?: (result: Result) => Refusal | null
  /** Members of the response that are shown once. A repeated request gets null for them. */
  readonly shownOnce?: readonly string[]
  /**
   * The part of the body that is compared between two requests with the same idempotency key, if not the
   * whole body. Its hash is stored. Short values such as card numbers can be guessed from a hash, so they
   * must not be included.
   */
  readonly bodyForIdempotency?: (body: Static<B>) => unknown
  /** The maximum size of the body, if it is larger than usual. Such a body must have few members. */
  readonly maxBodyBytes?: number
  /** Whether `If-Match` is supported. Otherwise it is rejected, not ignored. */
  readonly takesIfMatch?: boolean
  /** Additional headers, by their lower-case names, with their descriptions. All are required. */
  readonly headers?: { readonly [name: string]: string }
  /** An additional rate limit for rare and sensitive operations. */
  readonly limit?: { readonly perMinute: number }
  /** The version of the object, returned as `ETag`. */
  readonly version?: (result: Result) => number
  /** The response is a document of this type instead of JSON; `present` returns it as a `Document`. */
  readonly document?: 'application/pdf' | 'application/xml'
  /**
   * The response is a stream: results are sent one by one, and `response` is the schema of one. See `stream`.
   */
  readonly streams?: true
  /**
   * The request body is a file of this type instead of JSON. It is passed as a stream (`UploadedFile`), and may take
   * longer than other requests.
   */
  readonly upload?: 'text/csv'
  readonly handle: (call: Call<Static<P>, Static<Q>, Static<B>>) => Promise<Result>
}

/** The body of an operation with `upload`. Its bytes are read while they are received. */
export type UploadedFile = AsyncIterable<Uint8Array>

/** A document and its file name. */
export type Document = { readonly name: string; readonly bytes: Uint8Array }

/** A result in a stream and the cursor after it; without a result only the cursor is new. */
export type StreamItem<Result> = { readonly cursor: string; readonly result: Result | null }

/** Additional input of a stream. */
export type StreamOptions = {
  /** The cursor of the last result that the caller received before the connection was lost. */
  readonly lastEventId: string | null
  /** Aborted when the stream must end. */
  readonly ended: AbortSignal
}

type StreamContract<P extends TObject, Q extends TObject, Result> = Omit<
  Contract<P, Q, TSchema, Result>,
  'method' | 'body' | 'status' | 'accepted' | 'shownOnce' | 'takesIfMatch' | 'version' | 'streams' | 'handle'
> & {
  readonly handle: (
    call: Call<Static<P>, Static<Q>, unknown> & StreamOptions,
  ) => Promise<AsyncIterable<StreamItem<Result>>>
}

/** An operation without its type parameters, which were checked at its definition. */
export type Operation = Omit<
  Contract<TObject, TObject, TSchema, never>,
  'present' | 'handle' | 'version' | 'refusal' | 'bodyForIdempotency' | 'accepted'
> & {
  readonly accepted?: { readonly response: TSchema; readonly present: (result: unknown) => object | null }
  readonly bodyForIdempotency?: (body: unknown) => unknown
  readonly present: (result: unknown, call: Call<unknown, unknown, unknown>) => object
  readonly handle: (call: Call<unknown, unknown, unknown>) => Promise<unknown>
  readonly version?: (result: unknown) => number
  readonly refusal?: (result: unknown) => Refusal | null
}

/** Creating and updating take an idempotency key; reading and deleting do not need one. */
export function takesKey(method: string): boolean {
  return method === 'POST' || method === 'PUT'
}

export function operation<P extends TObject, Q extends TObject, B extends TSchema, Result>(
  contract: Contract<P, Q, B, Result>,
): Operation {
  return contract as unknown as Operation
}

/** A `GET` that returns server-sent events until either side closes the connection. */
export function stream<P extends TObject, Q extends TObject, Result>(
  contract: StreamContract<P, Q, Result>,
): Operation {
  return { ...contract, method: 'GET', streams: true } as unknown as Operation
}
