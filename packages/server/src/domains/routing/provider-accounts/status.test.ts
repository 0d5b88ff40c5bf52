import { expect, test } from 'vitest'
import { asOwner } from '../../../../test/support/owner.ts'
import { runAllDueWork } from '../../../../test/support/run-all-due-work.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'
import { systemCaller } from '../../../kernel/caller.ts'
import { type Id, uuidOf } from '../../../kernel/id.ts'
import { read } from '../../../platform/db/unit-of-work.ts'
import { findAccount, listCandidates } from './service.ts'
import { releaseProviderAccounts } from './work.ts'

const switchyard = await switchyardForThisFile()
const { clock, deps } = switchyard

const runDueWork = () => runAllDueWork(deps, [releaseProviderAccounts as never])

async function anAccount({ post }: Workspace, members: object = {}) {
  const { body } = await post('/provider-accounts', {
    provider: 'custom',
    display_name: 'Our acquirer',
    config: { base_url: 'https://psp.example.com' },
    ...members,
  })
  const id: Id<'provider_account'> = body.id
  return { id, path: `/provider-accounts/${id}` }
}

const inSeconds = (count: number) => {
  const reading = clock.read()
  return new Date((reading.from === 'harness' ? reading.at.getTime() : 0) + count * 1000).toISOString()
}

const readIn = <T>(workspace: Workspace, body: Parameters<typeof read<T>>[2]) => {
  const id = workspace.workspaceId as Id<'workspace'>
  return read(deps, systemCaller({ workspaceId: id, id }), body)
}

const candidates = async (workspace: Workspace) =>
  (await readIn(workspace, listCandidates)).map(({ id }) => id)

test('a disabled account is not a candidate until it is enabled', async () => {
  const workspace = await switchyard.newWorkspace()
  const { id, path } = await anAccount(workspace)

  expect((await workspace.post(`${path}/disable`)).body).toMatchObject({ id, status: 'disabled' })
  expect(await candidates(workspace)).toEqual([])
  expect((await workspace.post(`${path}/enable`)).body).toMatchObject({ id, status: 'active' })
  expect(await candidates(workspace)).toEqual([id])
})

test('candidates are sorted by position, then by creation', async () => {
  const workspace = await switchyard.newWorkspace()
  const [third, first, second] = [
    await anAccount(workspace, { position: 5 }),
    await anAccount(workspace, { position: 3 }),
    await anAccount(workspace, { position: 3 }),
  ]
  await anAccount(await switchyard.newWorkspace(), { position: 1 })

  expect(await candidates(workspace)).toEqual([first.id, second.id, third.id])
  await workspace.put(second.path, { position: 9 })
  expect(await candidates(workspace)).toEqual([first.id, third.id, second.id])
})

test('a candidate includes its hold, its capabilities and its card data', async () => {
  const workspace = await switchyard.newWorkspace()
  const { path } = await anAccount(workspace, { card_data: 'token', capabilities: { currencies: ['eur'] } })
  await workspace.post(`${path}/hold`, { reason: 'Trouble', until_at: inSeconds(60) })

  expect(await readIn(workspace, listCandidates)).toMatchObject([
    {
      hold: { reason: 'Trouble', untilAt: new Date(inSeconds(60)) },
      cardData: 'token',
      capabilities: { currencies: ['eur'], brands: 'all', threeDSecure: true },
    },
  ])
})

test('an account is only found in its own workspace', async () => {
  const [ours, theirs] = [await switchyard.newWorkspace(), await switchyard.newWorkspace()]
  const { id, path } = await anAccount(ours)
  await ours.post(`${path}/archive`)

  expect(await readIn(ours, (view) => findAccount(view, id))).toMatchObject({ id, status: 'archived' })
  expect(await readIn(theirs, (view) => findAccount(view, id))).toBeNull()
  expect(await readIn(ours, (view) => findAccount(view, 'nonsense'))).toBeNull()
})

test('an archived account can only be read', async () => {
  const workspace = await switchyard.newWorkspace()
  const { id, path } = await anAccount(workspace)
  await workspace.post(`${path}/hold`, { reason: 'Trouble', until_at: inSeconds(60) })

  const archived = await workspace.post(`${path}/archive`)

  expect(archived).toMatchObject({ status: 200, body: { status: 'archived', hold: null } })
  expect((await workspace.post(`${path}/archive`)).body).toEqual(archived.body)
  expect((await workspace.get(path)).body).toEqual(archived.body)
  expect(await candidates(workspace)).toEqual([])
  const later = [
    workspace.put(path, { position: 1 }),
    workspace.post(`${path}/enable`),
    workspace.post(`${path}/disable`),
    workspace.post(`${path}/hold`, { reason: 'Trouble', until_at: inSeconds(60) }),
    workspace.post(`${path}/release`),
    workspace.post(`${path}/check`),
    workspace.post(`${path}/rotate_secret`),
  ]
  for (const response of await Promise.all(later)) {
    expect(response).toMatchObject({
      status: 409,
      body: { code: 'invalid_state', current_status: 'archived', allowed_actions: [] },
    })
  }
  expect((await workspace.eventsOf(id)).length).toBe(3)
})

const openStatuses = ['sending', 'pending', 'awaiting_customer', 'unknown', 'needs_review']

test.each([
  ...openStatuses.map((status) => ['authorize', status, 409] as const),
  ...openStatuses.map((status) => ['refund', status, 409] as const),
  ...['succeeded', 'declined', 'rejected', 'not_sent', 'not_processed'].map(
    (status) => ['authorize', status, 200] as const,
  ),
])('archiving an account whose %s operation is %s returns %i', async (kind, status, expected) => {
  const workspace = await switchyard.newWorkspace()
  const { id, path } = await anAccount(workspace)
  const other = await anAccount(workspace)
  await anOperation(workspace, id, { kind, status })

  const response = await workspace.post(`${path}/archive`)

  expect(response.status).toBe(expected)
  if (expected === 409) {
    expect(response.body).toMatchObject({
      code: 'invalid_state',
      detail: 'An operation at this account is still in progress.',
      current_status: 'active',
    })
    expect(response.body.allowed_actions).toContain('disable')
    expect(response.body.allowed_actions).not.toContain('archive')
    expect((await workspace.get(path)).body.status).toBe('active')
  }
  expect((await workspace.post(`${other.path}/archive`)).status).toBe(200)
})

/** Inserts an operation as payments do. */
async function anOperation(
  workspace: Workspace,
  account: Id<'provider_account'>,
  { kind, status }: { kind: string; status: string },
): Promise<void> {
  await asOwner(switchyard.databaseUrl, (client) =>
    client.query(
      `insert into operations (workspace_id, payment_id, id, attempt_id, refund_id, kind, number, reference, status,
         amount, currency, provider_account_id, lease_until, created_at, updated_at)
       values ($1, $2, $2, $2, $2, $3, 1, 'a-1', $4, 1, 'eur', $2, now(), now(), now())`,
      [uuidOf(workspace.workspaceId as Id<'workspace'>), uuidOf(account), kind, status],
    ),
  )
}

test('a hold requires a reason and an end in the future', async () => {
  const workspace = await switchyard.newWorkspace()
  const { path } = await anAccount(workspace)
  const hold = (body: object) => workspace.post(`${path}/hold`, body)
  const until_at = inSeconds(60)

  expect((await hold({ reason: 'x' })).body.errors).toMatchObject([
    { pointer: '/until_at', code: 'required' },
  ])
  expect((await hold({ until_at })).body.errors).toMatchObject([{ pointer: '/reason', code: 'required' }])
  expect((await hold({ reason: '', until_at })).body.errors).toMatchObject([{ pointer: '/reason' }])
  expect((await hold({ reason: 'x', until_at: inSeconds(0) })).body.errors).toEqual([
    { pointer: '/until_at', code: 'too_small', detail: 'must be in the future' },
  ])
  expect((await hold({ reason: 'x', until_at })).body.hold).toEqual({ reason: 'x', until_at })
})

test('a second hold replaces the reason and the end of the first', async () => {
  const workspace = await switchyard.newWorkspace()
  const { id, path } = await anAccount(workspace)
  await workspace.post(`${path}/hold`, { reason: 'x', until_at: inSeconds(60) })

  const secondHold = await workspace.post(`${path}/hold`, { reason: 'y', until_at: inSeconds(120) })

  expect(secondHold.body.hold).toEqual({ reason: 'y', until_at: inSeconds(120) })
  clock.advance({ seconds: 61 })
  await runDueWork()
  expect((await workspace.get(path)).body.hold).toMatchObject({ reason: 'y' })
  expect((await workspace.eventsOf(id)).at(-1)).toMatchObject({ previous: { hold: { reason: 'x' } } })
})

test('a hold ends automatically at its end, not before, with one event', async () => {
  const workspace = await switchyard.newWorkspace()
  const { id, path } = await anAccount(workspace)
  await workspace.post(`${path}/disable`)
  await workspace.post(`${path}/hold`, { reason: 'x', until_at: inSeconds(60) })

  clock.advance({ seconds: 59 })
  await runDueWork()
  expect((await workspace.get(path)).body.hold).not.toBeNull()
  clock.advance({ seconds: 1 })
  await runDueWork()
  await runDueWork()

  expect((await workspace.get(path)).body).toMatchObject({ status: 'disabled', hold: null })
  const types = (await workspace.eventsOf(id)).map(({ type }: { type: string }) => type)
  expect(types.slice(2)).toEqual(['provider_account.held', 'provider_account.released'])
})

test('ten concurrent holds and releases are serialized, and the events match', async () => {
  const workspace = await switchyard.newWorkspace()
  const { id, path } = await anAccount(workspace)
  const until_at = inSeconds(60)

  const calls = Array.from({ length: 10 }, (_, index) =>
    index % 2 === 0
      ? workspace.post(`${path}/hold`, { reason: `${index}`, until_at })
      : workspace.post(`${path}/release`),
  )
  const responses = await Promise.all(calls)

  expect(responses.map(({ status }) => status)).toEqual(Array(10).fill(200))
  // Ids are in the order in which the requests started, and sequences in the order in which they ran.
  const events = (await workspace.eventsOf(id)).toSorted(
    (a: { sequence: number }, b: { sequence: number }) => a.sequence - b.sequence,
  )
  expect(events.map(({ sequence }: { sequence: number }) => sequence)).toEqual(
    events.map((_: object, index: number) => index + 1),
  )
  expect((await workspace.get(path)).body.hold).toEqual(events.at(-1).object.hold)
})
