// A plausible call of every operation, so that guards can go through all of them. A new operation with a
// body that cannot be empty, or with a new kind of path parameter, says here what to send.

import { assert } from '../../../src/kernel/assert.ts'
import { idFromUuid, idMaker, type Kind, type Mode } from '../../../src/kernel/id.ts'
import type { Operation } from '../../../src/platform/http/operation.ts'
import type { Workspace } from '../../support/switchyard.ts'

/** Bodies that must hold something; every other operation takes an empty one. */
const bodies: { readonly [operation: string]: object } = {
  'api_tokens.create': { name: 'A token', role: 'READ_ONLY' },
}

/** How an object of a kind comes to be, through the API. */
const makers: { readonly [parameter: string]: (workspace: Workspace) => Promise<string> } = {
  customer_id: (workspace) => workspace.aCustomer(),
  api_token_id: async ({ post }) =>
    (await post('/api-tokens', { name: 'Another', role: 'READ_ONLY' })).body.id,
  event_id: async (workspace) => {
    await workspace.aCustomer()
    return (await workspace.get('/events?limit=1')).body.data[0].id
  },
  request_id: async ({ get }) => String((await get('/me')).headers.get('request-id')),
}

export function bodyOf(operation: Operation): object | undefined {
  if (operation.method === 'GET' || operation.method === 'DELETE') return undefined
  return bodies[operation.id] ?? {}
}

/** The name of the parameter in the path; null if there is none. No path of ours has two. */
export function parameterOf({ id, path }: Operation): string | null {
  const names = [...path.matchAll(/:([a-z_]+)/g)].map(([, name]) => name as string)
  assert(names.length <= 1, `${id} has several parameters: teach the guards to vary each of them.`)
  return names[0] ?? null
}

export function pathWith(operation: Operation, id: string): string {
  return operation.path.replace(/:[a-z_]+/, id)
}

/** A new object that the operation could be called with. */
export function makeObject(workspace: Workspace, parameter: string): Promise<string> {
  const make = makers[parameter]
  assert(make !== undefined, `Say in calls.ts how an object for :${parameter} is made.`)
  return make(workspace)
}

/** An id that has the right form and never was. */
export function inventId(parameter: string, mode: Mode): string {
  const kind = parameter.replace(/_id$/, '') as Kind
  return idFromUuid(kind, mode, idMaker(new Date('2026-11-14T12:00:00.000Z'), 7)())
}
