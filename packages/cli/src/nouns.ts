/** The resources and operations of the OpenAPI document, and the SDK methods that call them. */
import type { Answered, List, Page, Switchyard } from '@switchyard/sdk'
import { CliError } from './exit.ts'
import { sdkMethodOf } from './sdk-methods.ts'

export type Filter = { readonly name: string; readonly about: string }

/** An operation of the API. `ids` are its path parameters, in order. */
export type OperationInfo = { readonly about: string; readonly ids: readonly string[] }

/** A member of a request body that can be given as an option. */
export type Member = {
  readonly name: string
  readonly about: string
  /**
   * `pairs` is an object with arbitrary keys, such as metadata; `texts` is a list of strings; `secrets` is an object that
   * is read from a file, because other programs can see the arguments of a command.
   */
  readonly kind: 'text' | 'number' | 'boolean' | 'texts' | 'pairs' | 'secrets'
  /** Whether the value null clears the member. */
  readonly clearable?: true
}

/** An operation other than `list` and `get`. */
export type Action = OperationInfo & {
  /** From the operation id: `rotate_secret`. */
  readonly verb: string
  /** A `write` takes an idempotency key, a `read` takes filters. */
  readonly kind: 'write' | 'delete' | 'read'
  /** Undefined if the operation takes no body. */
  readonly members?: readonly Member[]
  /** Whether the body is a file. */
  readonly file?: true
  readonly filters?: readonly Filter[]
  /** Whether the operation accepts `If-Match`. */
  readonly ifMatch?: true
}

export type Noun = {
  /** From the operation id: `webhook_endpoints`. */
  readonly name: string
  readonly list?: OperationInfo & { readonly filters: readonly Filter[] }
  readonly get?: OperationInfo
  readonly actions?: readonly Action[]
}

type Query = Readonly<Record<string, unknown>>
type Method = (...args: unknown[]) => unknown
type Entry = { readonly id?: string }

export function callList(client: Switchyard, noun: Noun, ids: readonly string[], query: Query): List<Entry> {
  return sdkMethod(client, noun, 'list')(...ids, ...(isPaginated(noun) ? [query] : [])) as List<Entry>
}

/** Whether the list has pages. Short lists are returned as a whole. */
export function isPaginated({ name }: Noun): boolean {
  return name !== 'event_types' && name !== 'providers'
}

export function callGet(client: Switchyard, noun: Noun, ids: readonly string[]): Promise<Answered<object>> {
  return sdkMethod(client, noun, 'get')(...ids) as Promise<Answered<object>>
}

export type ActionInput = {
  readonly ids: readonly string[]
  /** The body of a write, the content of a file, the filters of a read. */
  readonly body: Query | ReadableStream
  readonly options: { readonly idempotencyKey?: string; readonly ifMatch?: string }
}

/** Calls the operation and returns its response; for a list, the first page. */
export async function callAction(
  client: Switchyard,
  noun: Noun,
  { verb, kind, members, file, filters }: Action,
  { ids, body, options }: ActionInput,
): Promise<object> {
  // The SDK's delete methods take filters in their options.
  if (kind === 'delete')
    return sdkMethod(client, noun, verb)(...ids, { ...body, ...options }) as Promise<object>
  const hasBody = members !== undefined || file === true || filters !== undefined
  const result = sdkMethod(client, noun, verb)(...ids, ...(hasBody ? [body] : []), options)
  return isList(result) ? result.page() : (result as Promise<object>)
}

/** The SDK method of an operation. A test checks that every operation has one. */
function sdkMethod(client: Switchyard, { name }: Noun, verb: string): Method {
  const [resource = '', method = ''] = sdkMethodOf(`${name}.${verb}`).split('.')
  const methods = (client as unknown as Readonly<Record<string, Readonly<Record<string, Method>>>>)[resource]
  const found = methods?.[method]
  if (found === undefined) throw new CliError('failed', `The SDK has no method for ${name}.${verb}.`)
  return found
}

function isList(result: unknown): result is List<Entry> {
  return typeof result === 'object' && result !== null && 'page' in result
}

/** Up to `limit` entries: one page as returned by the API, or several pages joined. */
export async function pageOf(
  list: List<Entry>,
  limit: number,
): Promise<Pick<Page<Entry>, 'object' | 'data'>> {
  return limit <= 100 ? list.page() : { object: 'list', data: await list.all({ max: limit }) }
}

/** The noun that an id belongs to, by its prefix: `payment_test_…` belongs to `payments`. */
export function nounOfId(nouns: readonly Noun[], id: string): Noun {
  const kind = kindOf(id)
  const found = nouns.find(({ get }) => get?.ids.length === 1 && get.ids[0] === `${kind}_id`)
  if (found !== undefined) return found
  throw new CliError(
    'usage',
    `"${id}" is not the id of an object that can be retrieved.`,
    'Ids look like payment_test_01M7...',
  )
}

export function kindOf(id: string): string | null {
  return /^([a-z]+(?:_[a-z]+)*?)_(?:test_)?[0-7][0-9A-HJKMNP-TV-Z]{25}$/i.exec(id)?.[1] ?? null
}
