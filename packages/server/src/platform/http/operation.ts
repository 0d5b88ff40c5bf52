/**
 * An operation of the API as data: its name, its shapes, what it refuses, and the one verb it calls.
 * Routing, validation, roles, the OpenAPI document and the grids of the tests are made from these, so
 * there is nothing to keep in step by hand.
 */
import type { Static, TObject, TSchema } from 'typebox'
import type { Caller } from '../../kernel/caller.ts'
import type { ErrorCode, Refusal } from '../../kernel/errors.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** What a verb is called with: all of it validated. */
export type Call<Params, Query, Body> = {
  readonly caller: Caller
  readonly params: Params
  readonly query: Query
  readonly body: Body
  /** The version that `If-Match` names, for those who want to change only what they have seen. */
  readonly ifMatch: number | null
  /** Those that the operation asks for, by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Where the caller is. */
  readonly address: string
}

type Contract<P extends TObject, Q extends TObject, B extends TSchema, Result> = {
  /** `<objects>.<verb>`: the row of access.ts, the operationId, the label in metrics. */
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
  readonly answer: TSchema
  /** For a result that is not final yet: answered 202 with another object. `present` gives null for one that is. */
  readonly accepted?: { readonly answer: TSchema; readonly present: (result: Result) => object | null }
  /** What it may refuse beside what every operation may. */
  readonly refuses?: readonly ErrorCode[]
  readonly present: (result: Result, call: Call<Static<P>, Static<Q>, Static<B>>) => object
  /** A result that is answered as a refusal, and kept for repeats like any answer: it has had its effect. */
  readonly refusal?: (result: Result) => Refusal | null
  /** Members of the answer that are shown once. A repeat of the request gets null in their place. */
  readonly shownOnce?: readonly string[]
  /**
   * What makes two requests with one idempotency key the same, if not all of the body. It is hashed and kept;
   * what is as short as a card number can be guessed from its hash, so that must not be in it.
   */
  readonly comparable?: (body: Static<B>) => unknown
  /** Whether `If-Match` is honoured. Where it is not, it is refused rather than ignored. */
  readonly takesIfMatch?: boolean
  /** Headers of its own, by their names in lower case, with what they mean. All are required. */
  readonly headers?: { readonly [name: string]: string }
  /** A limit of its own beside that of the token, for what is asked for seldom and matters much. */
  readonly limit?: { readonly perMinute: number }
  /** The object's version, answered as `ETag`. */
  readonly version?: (result: Result) => number
  /** Its answer is no JSON but a document of this type, which `present` gives as a `Document`. */
  readonly document?: 'application/pdf'
  /** Its answer goes on: what the verb gives is sent piece by piece, and `answer` is one of them. See `stream`. */
  readonly streams?: true
  readonly verb: (call: Call<Static<P>, Static<Q>, Static<B>>) => Promise<Result>
}

/** A document as it is sent, and what a browser calls it when it is kept. */
export type Document = { readonly name: string; readonly bytes: Uint8Array }

/** A piece of a stream and the cursor that leads behind it; without a result only the cursor is new. */
export type Piece<Result> = { readonly cursor: string; readonly result: Result | null }

/** What a stream is opened with beside the call. */
export type Opening = {
  /** The cursor of the last piece that the caller has, from before the connection broke. */
  readonly lastEventId: string | null
  /** Says when the stream shall end. */
  readonly ended: AbortSignal
}

type StreamContract<P extends TObject, Q extends TObject, Result> = Omit<
  Contract<P, Q, TSchema, Result>,
  'method' | 'body' | 'status' | 'accepted' | 'shownOnce' | 'takesIfMatch' | 'version' | 'streams' | 'verb'
> & {
  readonly verb: (
    call: Call<Static<P>, Static<Q>, unknown> & Opening,
  ) => Promise<AsyncIterable<Piece<Result>>>
}

/** An operation whose types have been checked at its definition and may be forgotten. */
export type Operation = Omit<
  Contract<TObject, TObject, TSchema, never>,
  'present' | 'verb' | 'version' | 'refusal' | 'comparable' | 'accepted'
> & {
  readonly accepted?: { readonly answer: TSchema; readonly present: (result: unknown) => object | null }
  readonly comparable?: (body: unknown) => unknown
  readonly present: (result: unknown, call: Call<unknown, unknown, unknown>) => object
  readonly verb: (call: Call<unknown, unknown, unknown>) => Promise<unknown>
  readonly version?: (result: unknown) => number
  readonly refusal?: (result: unknown) => Refusal | null
}

/** Creating and changing can be repeated under a key; reading and deleting need none. */
export function takesKey(method: string): boolean {
  return method === 'POST' || method === 'PUT'
}

export function operation<P extends TObject, Q extends TObject, B extends TSchema, Result>(
  contract: Contract<P, Q, B, Result>,
): Operation {
  return contract as unknown as Operation
}

/** A `GET` that is answered with server-sent events, until either side ends it. */
export function stream<P extends TObject, Q extends TObject, Result>(
  contract: StreamContract<P, Q, Result>,
): Operation {
  return { ...contract, method: 'GET', streams: true } as unknown as Operation
}
