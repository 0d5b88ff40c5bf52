// For every operation that takes an id, an id of another workspace gets the same response as an id that does
// not exist, and changes nothing.

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Deps } from '../../src/deps.ts'
import { registerOrganization } from '../../src/domains/access/organizations/service.ts'
import { confirmation } from '../../src/domains/payments/card-tokens/vault.ts'
import { type Id, idFromUuid, idMaker, uuidOf } from '../../src/kernel/id.ts'
import { operationsOf } from '../../src/operations.ts'
import type { Operation } from '../../src/platform/http/operation.ts'
import { setUpWorkspace } from '../../src/setup.ts'
import { connectAsOwner } from '../support/owner.ts'
import { completeSeller } from '../support/seller.ts'
import { simulatorForThisFile } from '../support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../support/switchyard.ts'
import {
  createBody,
  createList,
  createObject,
  createObjects,
  headersOf,
  type Ids,
  inventId,
  parametersOf,
  pathWith,
  queries,
} from './support/sample-requests.ts'
import { readWorkspaceRows } from './support/tables.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({
  environment: { SIMULATOR_URL: simulator.url, VAULT_LIVE: 'true' },
})
const operations = operationsOf({} as Deps)
const operationsWithId = operations.filter((operation) => parametersOf(operation).length > 0)
const pathParameters = operationsWithId.flatMap((operation) =>
  parametersOf(operation)
    // The number of a revision is not an id.
    .filter((parameter) => parameter.endsWith('_id'))
    .map((parameter) => ({ id: operation.id, parameter, operation })),
)
/** Paginated lists. The list of event types is not paginated, and is the same for every workspace. */
const lists = operations.filter(
  ({ query, streams }) => !streams && 'starting_after' in (query?.properties ?? {}),
)

let ownWorkspace: Workspace
let otherWorkspace: Workspace
let otherLiveWorkspace: Workspace
/** One connection for all comparisons, because each new connection would read the catalogue again. */
const owner = await connectAsOwner(switchyard.databaseUrl)
afterAll(() => owner.end())

beforeAll(async () => {
  ownWorkspace = await switchyard.newWorkspace('test')
  otherWorkspace = await switchyard.newWorkspace('test')
  otherLiveWorkspace = await switchyard.newWorkspace('live')
  // Payment links and checkout sessions need the vault in live mode.
  await otherLiveWorkspace.post('/vault/confirm', { confirmation })
  // Invoices are only finalized in live mode if the seller is complete.
  await otherLiveWorkspace.put('/seller', completeSeller)
  for (const workspace of [otherWorkspace, otherLiveWorkspace]) {
    await workspace.aCustomer({ name: 'Other' })
    await waitUntilTokenUseIsRecorded(workspace)
  }
})

/**
 * The first use of a token is recorded concurrently with the request. After that, the row does not change for
 * a minute.
 */
async function waitUntilTokenUseIsRecorded({ get }: Workspace): Promise<void> {
  await vi.waitFor(async () => {
    const { body } = await get('/api-tokens')
    expect(body.data[0].last_used_at).not.toBeNull()
  })
}

describe.each(pathParameters)('$id with :$parameter', ({ operation, parameter }) => {
  test('returns the same 404 for every foreign or unknown id, and changes nothing', async () => {
    const ownIds = await createObjects(ownWorkspace, operation)
    const foreignIds = {
      'of another workspace': (await createObjects(otherWorkspace, operation))[parameter] as string,
      'of the other mode': (await createObjects(otherLiveWorkspace, operation))[parameter] as string,
      'of another kind': await createObject(ownWorkspace, otherThan(parameter)),
      'that does not exist': inventId(parameter, 'test'),
      'that is malformed': 'nonsense',
    }
    // Deferred writes are flushed before the comparison.
    await switchyard.flushRequestLog()
    await switchyard.health.flush()
    const before = await readAllRows(otherWorkspace, otherLiveWorkspace)

    const responses = await Promise.all(
      Object.values(foreignIds).map((id) => call(ownWorkspace, operation, { ...ownIds, [parameter]: id })),
    )

    const [first] = responses
    expect(first).toMatchObject({ status: 404, body: { code: 'not_found' } })
    for (const response of responses) expect(response).toEqual(first)
    expect(await readAllRows(otherWorkspace, otherLiveWorkspace)).toEqual(before)
  })
})

test.each(operationsWithId)('$id accepts ids of its own workspace', async (operation) => {
  const ids = await createObjects(ownWorkspace, operation)
  await switchyard.flushRequestLog()

  expect((await call(ownWorkspace, operation, ids)).status).toBeLessThan(300)
})

test.each(lists)('$id returns only objects of its own workspace', async (operation) => {
  const [otherPath, ownPath] = [
    await createList(otherWorkspace, operation),
    await createList(ownWorkspace, operation),
  ]
  await switchyard.flushRequestLog()
  const { body: list } = await otherWorkspace.get(`${otherPath}?limit=100`)
  const otherIds = idsOf(list.data)

  const { status, body } = await ownWorkspace.get(`${ownPath}?limit=100`)

  expect(status).toBe(200)
  expect(idsOf(body.data).filter((id) => otherIds.includes(id))).toEqual([])
})

test('the lists that the guard compares are not empty', async () => {
  const filled = []
  for (const operation of lists) {
    const path = await createList(otherWorkspace, operation)
    await switchyard.flushRequestLog()
    if (idsOf((await otherWorkspace.get(path)).body.data).length > 0) filled.push(operation.id)
  }

  expect(filled).toEqual(lists.map(({ id }) => id))
})

test('a filter or a cursor with an object of another workspace returns nothing of that workspace', async () => {
  const customer = await otherWorkspace.aCustomer({ email: 'only@other.example' })
  const [event] = await otherWorkspace.eventsOf(customer)

  expect((await ownWorkspace.get(`/events?object_id=${customer}`)).body.data).toEqual([])
  expect((await ownWorkspace.get('/customers?email=only@other.example')).body.data).toEqual([])
  const after = await ownWorkspace.get(`/events?ending_before=${event.id}`)
  expect(JSON.stringify(after.body)).not.toContain(customer)
})

test('a list of people contains only people of its own organization', async () => {
  const [first, second] = [
    await createOrganization('ada@first.example'),
    await createOrganization('grace@second.example'),
  ]

  const people = await Promise.all(
    [first, second].map((token) => switchyard.call('test', 'GET', '/people', undefined, { token })),
  )

  expect(people.map(({ body }) => body.data.map(({ email }: { email: string }) => email))).toEqual([
    ['ada@first.example'],
    ['grace@second.example'],
  ])
})

test('the guard finds operations and lists', () => {
  expect(operationsWithId.map(({ id }) => id)).toEqual(
    expect.arrayContaining(['customers.get', 'api_tokens.revoke']),
  )
  expect(lists.map(({ id }) => id)).toContain('customers.list')
})

/** The response without the request id, so that responses can be compared. */
async function call(workspace: Workspace, operation: Operation, ids: Ids) {
  const { address: url, token } = workspace
  const mode = url === switchyard.addresses.test ? 'test' : 'live'
  const query =
    operation.query?.required === undefined ? '' : `?${new URLSearchParams(queries[operation.id])}`
  const path = `${pathWith(operation, ids)}${query}`
  const requestBody = await createBody(workspace, operation)
  const headers = headersOf(operation, ids)
  const { status, body } = await switchyard.call(mode, operation.method, path, requestBody, {
    token,
    headers,
  })
  const { request_id: _, ...rest } = body
  return { status, body: rest }
}

async function readAllRows(...workspaces: readonly Workspace[]) {
  const uuids = workspaces.map(({ workspaceId }) => uuidOf(workspaceId as Id<'workspace'>))
  return readWorkspaceRows(owner, uuids)
}

function otherThan(parameter: string): string {
  return parameter === 'customer_id' ? 'api_token_id' : 'customer_id'
}

function idsOf(data: readonly { readonly id?: string }[]): string[] {
  return data.flatMap(({ id }) => id ?? [])
}

/** Creates an organization with a workspace, and returns the token. */
async function createOrganization(email: string): Promise<string> {
  const organizationId = idFromUuid('organization', 'test', idMaker(new Date(), 0)())
  const founder = { email, passwordHash: '$argon2id$none' }
  await registerOrganization(switchyard.deps, organizationId, email)
  const { token } = await setUpWorkspace(switchyard.deps, {
    organizationId,
    mode: 'test',
    name: 'W',
    founder,
  })
  return token
}
