/** What can be listed and read, as the OpenAPI document has it, and the methods of the SDK that do it. */
import type { Answered, List, Page, Switchyard } from '@switchyard/sdk'
import { CliError } from './exit.ts'

export type Filter = { readonly name: string; readonly about: string }

/** `ids` are the parameters of its path, in order. */
export type Reading = { readonly about: string; readonly ids: readonly string[] }

export type Noun = {
  /** As operations are named: `webhook_endpoints`. */
  readonly name: string
  readonly list?: Reading & { readonly filters: readonly Filter[] }
  readonly get?: Reading
}

type Query = Readonly<Record<string, unknown>>
type Method = (...args: unknown[]) => unknown
type Entry = { readonly id?: string }

/** Where the SDK has a method under another noun. */
const moved: Readonly<Record<string, readonly [resource: string, list: string, get: string]>> = {
  webhook_recoveries: ['webhookEndpoints', 'listRecoveries', 'getRecovery'],
  route_simulations: ['paymentRoutes', 'listSimulations', 'getSimulation'],
}

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

/** The SDK has a method for every operation, under the name of the operation; a test goes through all of them. */
function methodOf(client: Switchyard, { name }: Noun, verb: 'list' | 'get'): Method {
  const [resource, list, get] = moved[name] ?? [camel(name), 'list', 'get']
  const methods = (client as unknown as Readonly<Record<string, Readonly<Record<string, Method>>>>)[resource]
  const method = methods?.[verb === 'list' ? list : get]
  if (method === undefined) throw new CliError('failed', `The SDK cannot ${verb} ${name}.`)
  return method
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

function camel(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}
