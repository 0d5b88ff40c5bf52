/**
 * The error responses of the OpenAPI document. There is one per status, under `components.responses`, which
 * operations refer to. `x-codes` of the shared response lists the codes that every operation with this status
 * can return, and `x-codes` of an operation lists its other codes, by status.
 */
import { assert } from '../../kernel/assert.ts'
import { type ErrorCode, errors } from '../../kernel/errors.ts'
import { headersOfProblem } from './openapi-headers.ts'
import { type Operation, takesKey } from './operation.ts'
import type { JsonObject } from './versions.ts'

/** The errors that every operation can return. */
const alwaysPossible: readonly ErrorCode[] = [
  'invalid_request',
  'unknown_version',
  'token_missing',
  'token_invalid',
  'token_expired',
  'token_wrong_address',
  'wrong_cell',
  'role_not_allowed',
  'publishable_token_not_allowed',
  'rate_limited',
  'too_many_in_flight',
  'internal_error',
  'unavailable',
  'read_only',
  'overloaded',
]
/** Additional errors of operations that read a body. A deletion has no body, but clients may send one. */
const withBody: readonly ErrorCode[] = ['invalid_json', 'body_too_large', 'unsupported_media_type']
/** Additional errors of operations that take an idempotency key. */
const withKey: readonly ErrorCode[] = [
  'invalid_idempotency_key',
  'idempotency_key_in_use',
  'idempotency_key_reused',
]

/** Every error code that the operation can return. */
export function errorCodesOf(operation: Operation): ErrorCode[] {
  const body = operation.method === 'GET' ? [] : withBody
  const key = takesKey(operation.method) ? withKey : []
  return [...new Set([...alwaysPossible, ...body, ...key, ...(operation.errors ?? [])])]
}

/** The names of the shared responses. */
const names: { readonly [status: number]: string } = {
  400: 'BadRequest',
  401: 'Unauthorized',
  402: 'PaymentRequired',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  412: 'PreconditionFailed',
  413: 'ContentTooLarge',
  415: 'UnsupportedMediaType',
  421: 'MisdirectedRequest',
  422: 'UnprocessableContent',
  429: 'TooManyRequests',
  500: 'InternalServerError',
  503: 'ServiceUnavailable',
}

/** The codes of each status: all that occur, and those that every operation with this status can return. */
type CodesByStatus = ReadonlyMap<
  number,
  { readonly all: readonly ErrorCode[]; readonly common: readonly ErrorCode[] }
>

export type Problems = {
  /** For `components.responses`. */
  readonly responses: JsonObject
  /** The members of one operation: its error responses, and the codes that the shared responses do not list. */
  readonly of: (operation: Operation) => { readonly responses: JsonObject; readonly codes: JsonObject }
}

export function describeProblems(operations: readonly Operation[]): Problems {
  const codes = codesByStatus(operations)
  const responses = [...codes].map(([status, { all, common }]) => [
    nameOf(status),
    {
      description: `${all.map((code) => `\`${code}\`: ${errors[code].title}.`).join(' ')}${explanation}`,
      headers: headersOfProblem(status),
      content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      'x-codes': common,
    },
  ])
  return { responses: Object.fromEntries(responses), of: (operation) => problemsOf(operation, codes) }
}

const explanation =
  ' The codes that an operation can return are those in `x-codes` here and in `x-codes` of the operation.'

function codesByStatus(operations: readonly Operation[]): CodesByStatus {
  const codesOfOperations = operations.map((operation) => byStatus(errorCodesOf(operation)))
  const statuses = [...new Set(codesOfOperations.flatMap((codes) => [...codes.keys()]))].toSorted(
    (a, b) => a - b,
  )
  return new Map(
    statuses.map((status) => {
      const lists = codesOfOperations
        .flatMap((codes) => [codes.get(status) ?? []])
        .filter(({ length }) => length > 0)
      const all = [...new Set(lists.flat())]
      return [status, { all, common: all.filter((code) => lists.every((list) => list.includes(code))) }]
    }),
  )
}

function problemsOf(operation: Operation, codes: CodesByStatus): ReturnType<Problems['of']> {
  const sorted = [...byStatus(errorCodesOf(operation))].toSorted(([a], [b]) => a - b)
  const responses = sorted.map(([status]) => [
    String(status),
    { $ref: `#/components/responses/${nameOf(status)}` },
  ])
  const specific = sorted.map(([status, list]) => {
    const common = codes.get(status)?.common ?? []
    return [String(status), list.filter((code) => !common.includes(code))] as const
  })
  return {
    responses: Object.fromEntries(responses),
    codes: Object.fromEntries(specific.filter(([, list]) => list.length > 0)),
  }
}

function byStatus(codes: readonly ErrorCode[]): Map<number, ErrorCode[]> {
  return Map.groupBy(codes, (code) => errors[code].status)
}

function nameOf(status: number): string {
  const name = names[status]
  assert(name !== undefined, `Add the name of the response with status ${status} to openapi-problems.ts.`)
  return name
}
