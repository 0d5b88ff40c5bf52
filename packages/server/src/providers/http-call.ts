/**
 * Builds HTTP calls of connectors. Equal input always produces an identical request, regardless of the order of its
 * members.
 */
import { canonical } from '../kernel/json.ts'
import type { HttpCall } from './contract.ts'

type CallParts = {
  readonly method: HttpCall['method']
  /** Without a trailing slash. */
  readonly baseUrl: string
  /** Begins with a slash. Values in it must be encoded. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
}

export function jsonCall({ body, ...parts }: CallParts & { readonly body?: object }): HttpCall {
  return callOf(parts, 'application/json', body === undefined ? null : canonical(body))
}

/** Form values: nested objects and lists become `name[member]` and `name[0]`. Null and undefined are omitted. */
export type FormValue =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly FormValue[]
  | { readonly [name: string]: FormValue }

export function formCall({
  form,
  ...parts
}: CallParts & { readonly form?: { readonly [name: string]: FormValue } }): HttpCall {
  const body = form === undefined ? null : formText(form)
  return callOf(parts, 'application/x-www-form-urlencoded', body)
}

function formText(form: { readonly [name: string]: FormValue }): string {
  const pairs = Object.entries(form).flatMap(([name, value]) => formPairs(name, value))
  return new URLSearchParams(pairs.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))).toString()
}

function formPairs(name: string, value: FormValue): [string, string][] {
  if (value === null || value === undefined) return []
  if (typeof value !== 'object') return [[name, String(value)]]
  return Object.entries(value).flatMap(([member, inner]) => formPairs(`${name}[${member}]`, inner))
}

function callOf(
  { method, baseUrl, path, query, headers }: CallParts,
  contentType: string,
  body: string | null,
): HttpCall {
  const search = query === undefined ? '' : `?${new URLSearchParams(query)}`
  return {
    method,
    url: `${baseUrl}${path}${search}`,
    headers: {
      accept: 'application/json',
      ...(body === null ? {} : { 'content-type': contentType }),
      'user-agent': 'Switchyard',
      ...headers,
    },
    body,
  }
}
