// A plausible call of every operation, so that guards can go through all of them. A new operation with a
// body that cannot be empty, or with a new kind of path parameter, says here what to send.

import { cursorOf } from '../../../src/domains/events/stream-place.ts'
import { assert } from '../../../src/kernel/assert.ts'
import { type Id, idFromUuid, idMaker, type Kind, type Mode, modeOf } from '../../../src/kernel/id.ts'
import type { Operation } from '../../../src/platform/http/operation.ts'
import type { Workspace } from '../../support/switchyard.ts'

/** Ids for the parameters of a path, by their names. */
export type Ids = { readonly [parameter: string]: string }

/** Bodies that must hold something; every other operation takes an empty one. */
const bodies: { readonly [operation: string]: object } = {
  'api_tokens.create': { name: 'A token', role: 'READ_ONLY' },
  'webhook_endpoints.create': { url: 'https://shop.example.com/webhooks', event_types: ['*'] },
  // Events are dated by the wall, whatever the clock of a test says.
  'webhook_recoveries.create': { since_at: new Date(Date.now() - 3_600_000).toISOString() },
}

const anHourAgo = new Date(Date.now() - 3_600_000)
const anEvent = idMaker(anHourAgo, 7)()
const aMoment = { at: anHourAgo, snapshot: '3:3:' }

/** Values for parameters of a query that nobody could guess. */
export const queries: { readonly [operation: string]: { readonly [member: string]: string } } = {
  'events.stream': {
    types: 'customer.*',
    since: anHourAgo.toISOString(),
    starting_after: idFromUuid('event', 'test', anEvent),
    cursor: cursorOf({
      is: 'catching up',
      since: aMoment,
      until: aMoment,
      after: { uuid: anEvent, sequence: 1 },
    }),
  },
}

/** How an object of a kind comes to be, through the API, under those that stand before it in the path. */
const makers: { readonly [parameter: string]: (workspace: Workspace, above: Ids) => Promise<string> } = {
  customer_id: (workspace) => workspace.aCustomer(),
  api_token_id: async ({ post }) =>
    (await post('/api-tokens', { name: 'Another', role: 'READ_ONLY' })).body.id,
  event_id: async (workspace) => {
    await workspace.aCustomer()
    return (await workspace.get('/events?limit=1')).body.data[0].id
  },
  webhook_endpoint_id: anEndpoint,
  delivery_id: async (workspace) => {
    const endpoint = await anEndpoint(workspace)
    await workspace.aCustomer()
    return (await workspace.get(`/webhook-endpoints/${endpoint}/deliveries`)).body.data[0].id
  },
  webhook_recovery_id: aRecovery,
  request_id: async ({ get }) => String((await get('/me')).headers.get('request-id')),
}

/** A workspace has room for twenty: when it is full, the newest makes way. */
async function anEndpoint({ workspaceId, get, post, delete: remove }: Workspace): Promise<string> {
  // Where it can be, at an address of this machine where nobody listens: no guard should ask a name server.
  const isTest = modeOf(workspaceId as Id<'workspace'>) === 'test'
  const own = isTest ? { url: 'http://127.0.0.1:1024/webhooks' } : {}
  const create = () => post('/webhook-endpoints', { ...bodies['webhook_endpoints.create'], ...own })
  const first = await create()
  if (first.status === 201) return first.body.id
  const { body } = await get('/webhook-endpoints?limit=1')
  await remove(`/webhook-endpoints/${body.data[0].id}`)
  return (await create()).body.id
}

async function aRecovery({ post }: Workspace, { webhook_endpoint_id }: Ids): Promise<string> {
  const path = `/webhook-endpoints/${webhook_endpoint_id}/recover`
  return (await post(path, bodies['webhook_recoveries.create'])).body.id
}

/** What makes the list of a new object hold something. */
const entries: { readonly [operation: string]: (workspace: Workspace, ids: Ids) => Promise<string> } = {
  'deliveries.list': (workspace) => workspace.aCustomer(),
  'webhook_recoveries.list': aRecovery,
}

export function bodyOf(operation: Operation): object | undefined {
  if (operation.method === 'GET' || operation.method === 'DELETE') return undefined
  return bodies[operation.id] ?? {}
}

/** The names of the parameters in the path, in their order. */
export function parametersOf({ path }: Operation): string[] {
  return [...path.matchAll(/:([a-z_]+)/g)].map(([, name]) => name as string)
}

export function pathWith(operation: Operation, ids: Ids): string {
  return operation.path.replaceAll(/:([a-z_]+)/g, (_, name: string) => {
    const id = ids[name]
    assert(id !== undefined, `No id for :${name}.`)
    return id
  })
}

/** New objects that the operation could be called with. */
export async function makeObjects(workspace: Workspace, operation: Operation): Promise<Ids> {
  const ids: Record<string, string> = {}
  for (const parameter of parametersOf(operation))
    ids[parameter] = await makeObject(workspace, parameter, ids)
  return ids
}

export function makeObject(workspace: Workspace, parameter: string, above: Ids = {}): Promise<string> {
  const make = makers[parameter]
  assert(make !== undefined, `Say in calls.ts how an object for :${parameter} is made.`)
  return make(workspace, above)
}

/** The path of a list that has something to show. */
export async function makeList(workspace: Workspace, operation: Operation): Promise<string> {
  const ids = await makeObjects(workspace, operation)
  await entries[operation.id]?.(workspace, ids)
  return pathWith(operation, ids)
}

/** Ids that have the right form and never were. */
export function inventIds(operation: Operation, mode: Mode): Ids {
  return Object.fromEntries(parametersOf(operation).map((name) => [name, inventId(name, mode)]))
}

/** An id that has the right form and never was. */
export function inventId(parameter: string, mode: Mode): string {
  const kind = parameter.replace(/_id$/, '') as Kind
  return idFromUuid(kind, mode, idMaker(new Date('2026-11-14T12:00:00.000Z'), 7)())
}
