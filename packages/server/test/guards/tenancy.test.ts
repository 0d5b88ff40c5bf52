// Another workspace's objects do not exist: over real HTTP, for every operation that takes an id. Whoever
// guesses one learns nothing, not even that there is something to guess, and changes nothing.

import { beforeAll, describe, expect, test, vi } from 'vitest'
import type { Deps } from '../../src/deps.ts'
import { type Id, idFromUuid, idMaker, uuidOf } from '../../src/kernel/id.ts'
import { operationsOf } from '../../src/operations.ts'
import { asOwner } from '../../src/platform/db/owner.ts'
import type { Operation } from '../../src/platform/http/operation.ts'
import { makeWorkspace } from '../../src/setup.ts'
import { simulatorForThisFile } from '../support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../support/switchyard.ts'
import {
  headersOf,
  type Ids,
  inventId,
  makeBody,
  makeList,
  makeObject,
  makeObjects,
  parametersOf,
  pathWith,
} from './support/calls.ts'
import { rowsOf } from './support/tables.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })
const operations = operationsOf({} as Deps)
const withId = operations.filter((operation) => parametersOf(operation).length > 0)
const places = withId.flatMap((operation) =>
  parametersOf(operation)
    // A number says nothing without the object that it counts within.
    .filter((parameter) => parameter.endsWith('_id'))
    .map((parameter) => ({ id: operation.id, parameter, operation })),
)
/** What is paged through. The types of events are the same for everyone. */
const lists = operations.filter(
  ({ query, streams }) => !streams && 'starting_after' in (query?.properties ?? {}),
)

let ours: Workspace
let theirs: Workspace
let theirLive: Workspace

beforeAll(async () => {
  ours = await switchyard.newWorkspace('test')
  theirs = await switchyard.newWorkspace('test')
  theirLive = await switchyard.newWorkspace('live')
  for (const workspace of [theirs, theirLive]) {
    await workspace.aCustomer({ name: 'Theirs' })
    await firstUseIsNoted(workspace)
  }
})

/** The first use of a token is noted beside the request; after that the row stays as it is for a minute. */
async function firstUseIsNoted({ get }: Workspace): Promise<void> {
  await vi.waitFor(async () => {
    const { body } = await get('/api-tokens')
    expect(body.data[0].last_used_at).not.toBeNull()
  })
}

describe.each(places)('$id with :$parameter', ({ operation, parameter }) => {
  test('answers every id that is not ours with the same 404, and changes nothing', async () => {
    const own = await makeObjects(ours, operation)
    const foreign = {
      'of another workspace': (await makeObjects(theirs, operation))[parameter] as string,
      'of the other mode': (await makeObjects(theirLive, operation))[parameter] as string,
      'of another kind': await makeObject(ours, otherThan(parameter)),
      'that never was': inventId(parameter, 'test'),
      'that is no id': 'nonsense',
    }
    // What is written a little later is written before we look.
    await switchyard.flushRequestLog()
    await switchyard.health.flush()
    const before = await everythingOf(theirs, theirLive)

    const answers = await Promise.all(
      Object.values(foreign).map((id) => call(ours, operation, { ...own, [parameter]: id })),
    )

    const [first] = answers
    expect(first).toMatchObject({ status: 404, body: { code: 'not_found' } })
    for (const answer of answers) expect(answer).toEqual(first)
    expect(await everythingOf(theirs, theirLive)).toEqual(before)
  })
})

test.each(withId)('$id answers ids that are ours', async (operation) => {
  const ids = await makeObjects(ours, operation)
  await switchyard.flushRequestLog()

  expect((await call(ours, operation, ids)).status).toBeLessThan(300)
})

test.each(lists)('$id shows only what is ours', async (operation) => {
  const [theirPath, ourPath] = [await makeList(theirs, operation), await makeList(ours, operation)]
  await switchyard.flushRequestLog()
  const { body: list } = await theirs.get(`${theirPath}?limit=100`)
  const theirIds = idsIn(list.data)

  const { status, body } = await ours.get(`${ourPath}?limit=100`)

  expect(status).toBe(200)
  expect(idsIn(body.data).filter((id) => theirIds.includes(id))).toEqual([])
})

test('the lists that the guard compares hold something', async () => {
  const filled = []
  for (const operation of lists) {
    const path = await makeList(theirs, operation)
    await switchyard.flushRequestLog()
    if (idsIn((await theirs.get(path)).body.data).length > 0) filled.push(operation.id)
  }

  expect(filled).toEqual(lists.map(({ id }) => id))
})

test('an object of theirs as a filter or a cursor finds nothing of theirs', async () => {
  const customer = await theirs.aCustomer({ email: 'only@theirs.example' })
  const [event] = await theirs.eventsOf(customer)

  expect((await ours.get(`/events?object_id=${customer}`)).body.data).toEqual([])
  expect((await ours.get('/customers?email=only@theirs.example')).body.data).toEqual([])
  const after = await ours.get(`/events?ending_before=${event.id}`)
  expect(JSON.stringify(after.body)).not.toContain(customer)
})

test('people are those of the own organization', async () => {
  const [first, second] = [await found('ada@first.example'), await found('grace@second.example')]

  const seen = await Promise.all(
    [first, second].map((token) => switchyard.call('test', 'GET', '/people', undefined, { token })),
  )

  expect(seen.map(({ body }) => body.data.map(({ email }: { email: string }) => email))).toEqual([
    ['ada@first.example'],
    ['grace@second.example'],
  ])
})

test('the guard goes through real operations', () => {
  expect(withId.map(({ id }) => id)).toEqual(expect.arrayContaining(['customers.get', 'api_tokens.revoke']))
  expect(lists.map(({ id }) => id)).toContain('customers.list')
})

/** The answer as far as a caller can compare two: all but the name of the request. */
async function call(workspace: Workspace, operation: Operation, ids: Ids) {
  const { address: url, token } = workspace
  const mode = url === switchyard.addresses.test ? 'test' : 'live'
  const path = pathWith(operation, ids)
  const sent = await makeBody(workspace, operation)
  const headers = headersOf(operation, ids)
  const { status, body } = await switchyard.call(mode, operation.method, path, sent, { token, headers })
  const { request_id: _, ...rest } = body
  return { status, body: rest }
}

async function everythingOf(...workspaces: readonly Workspace[]) {
  const uuids = workspaces.map(({ workspaceId }) => uuidOf(workspaceId as Id<'workspace'>))
  return asOwner(switchyard.databaseUrl, (client) => rowsOf(client, uuids))
}

function otherThan(parameter: string): string {
  return parameter === 'customer_id' ? 'api_token_id' : 'customer_id'
}

function idsIn(data: readonly { readonly id?: string }[]): string[] {
  return data.flatMap(({ id }) => id ?? [])
}

/** A workspace of an organization of its own; tells the token. */
async function found(email: string): Promise<string> {
  const organizationId = idFromUuid('organization', 'test', idMaker(new Date(), 0)())
  const founding = { organization: email, email, passwordHash: '$argon2id$none' }
  const { token } = await makeWorkspace(switchyard.deps, {
    organizationId,
    mode: 'test',
    name: 'W',
    founding,
  })
  return token
}
