/** What the API can do, as the OpenAPI document has it, and the methods of the SDK that do it. */
import type { Answered, List, Page, Switchyard } from '@switchyard/sdk'
import { CliError } from './exit.ts'
import { sdkMethodOf } from './sdk-methods.ts'

export type Filter = { readonly name: string; readonly about: string }

/** `ids` are the parameters of its path, in order. */
export type Reading = { readonly about: string; readonly ids: readonly string[] }

/** A member of a body that can be given as an option. */
export type Member = {
  readonly name: string
  readonly about: string
  /** `pairs` are keys and values of the caller's own; `texts` is a list. */
  readonly kind: 'text' | 'number' | 'boolean' | 'texts' | 'pairs'
  /** Whether null clears it. */
  readonly clears?: true
}

/** Whatever is not `list` or `get`. */
export type Action = Reading & {
  /** As the operation is named: `rotate_secret`. */
  readonly verb: string
  /** `write` with an idempotency key, `read` with filters. */
  readonly kind: 'write' | 'delete' | 'read'
  /** Without them it takes no body. */
  readonly members?: readonly Member[]
  readonly filters?: readonly Filter[]
  /** Whether it can be bound to a version. */
  readonly ifMatch?: true
}

export type Noun = {
  /** As operations are named: `webhook_endpoints`. */
  readonly name: string
  readonly list?: Reading & { readonly filters: readonly Filter[] }
  readonly get?: Reading
  readonly actions?: readonly Action[]
}

type Query = Readonly<Record<string, unknown>>
type Method = (...args: unknown[]) => unknown
type Entry = { readonly id?: string }

export function listFrom(client: Switchyard, noun: Noun, ids: readonly string[], query: Query): List<Entry> {
  return methodOf(
    client,
    noun,
    'list',
  )(...ids, ...(noun.name === 'event_types' ? [] : [query])) as List<Entry>
}

export function getFrom(client: Switchyard, noun: Noun, ids: readonly string[]): Promise<Answered<object>> {
  return methodOf(client, noun, 'get')(...ids) as Promise<Answered<object>>
}

export type ActionInput = {
  readonly ids: readonly string[]
  /** The body of a write, the filters of a read. */
  readonly body: Query
  readonly options: { readonly idempotencyKey?: string; readonly ifMatch?: string }
}

/** What the API answers; of a list its first page. */
export async function actBy(
  client: Switchyard,
  noun: Noun,
  { verb, members, filters }: Action,
  { ids, body, options }: ActionInput,
): Promise<object> {
  const takesBody = members !== undefined || filters !== undefined
  const made = methodOf(client, noun, verb)(...ids, ...(takesBody ? [body] : []), options)
  return isList(made) ? made.page() : (made as Promise<object>)
}

/** The SDK has a method for every operation, under the name of the operation; a test goes through all of them. */
function methodOf(client: Switchyard, { name }: Noun, verb: string): Method {
  const [resource = '', method = ''] = sdkMethodOf(`${name}.${verb}`).split('.')
  const methods = (client as unknown as Readonly<Record<string, Readonly<Record<string, Method>>>>)[resource]
  const found = methods?.[method]
  if (found === undefined) throw new CliError('failed', `The SDK cannot ${verb} ${name}.`)
  return found
}

function isList(made: unknown): made is List<Entry> {
  return typeof made === 'object' && made !== null && 'page' in made
}

/** As many as are asked for: one page as the API answers it, or several put together. */
export async function pageOf(
  list: List<Entry>,
  limit: number,
): Promise<Pick<Page<Entry>, 'object' | 'data'>> {
  return limit <= 100 ? list.page() : { object: 'list', data: await list.all({ max: limit }) }
}

/** The noun of an id, by its kind: `payment_test_…` is of `payments`. */
export function nounOfId(nouns: readonly Noun[], id: string): Noun {
  const kind = kindOf(id)
  const found = nouns.find(({ get }) => get?.ids.length === 1 && get.ids[0] === `${kind}_id`)
  if (found !== undefined) return found
  throw new CliError(
    'usage',
    `"${id}" is not the id of something that can be read.`,
    'Ids look like payment_test_01M7...',
  )
}

export function kindOf(id: string): string | null {
  return /^([a-z]+(?:_[a-z]+)*?)_(?:test_)?[0-7][0-9A-HJKMNP-TV-Z]{25}$/i.exec(id)?.[1] ?? null
}
