import { expect, test } from 'vitest'
import { switchyardForThisFile, type Workspace } from '../../../test/support/switchyard.ts'
import { systemCaller } from '../../kernel/caller.ts'
import { type Id, uuidOf } from '../../kernel/id.ts'
import { asOwner } from '../../platform/db/owner.ts'
import { read } from '../../platform/db/unit-of-work.ts'
import { settle } from '../../platform/engine/settle.ts'
import { findAccount, listCandidates } from './service.ts'
import { releaseProviderAccounts } from './work.ts'

const switchyard = await switchyardForThisFile()
const { clock, deps } = switchyard

const work = () => settle(deps, [releaseProviderAccounts as never])

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

const viewed = <T>(workspace: Workspace, body: Parameters<typeof read<T>>[2]) => {
  const id = workspace.workspaceId as Id<'workspace'>
  return read(deps, systemCaller({ workspaceId: id, id }), body)
}

const candidates = async (workspace: Workspace) =>
  (await viewed(workspace, listCandidates)).map(({ id }) => id)

test('a disabled account is no candidate, until it is enabled', async () => {
  const workspace = await switchyard.newWorkspace()
  const { id, path } = await anAccount(workspace)

  expect((await workspace.post(`${path}/disable`)).body).toMatchObject({ id, status: 'disabled' })
  expect(await candidates(workspace)).toEqual([])
  expect((await workspace.post(`${path}/enable`)).body).toMatchObject({ id, status: 'active' })
  expect(await candidates(workspace)).toEqual([id])
})

test('candidates come in the order of their positions, and of their creation where these are equal', async () => {
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

test('a candidate carries its hold, its terms and what it may be sent', async () => {
  const workspace = await switchyard.newWorkspace()
  const { path } = await anAccount(workspace, { card_data: 'token', capabilities: { currencies: ['eur'] } })
  await workspace.post(`${path}/hold`, { reason: 'Trouble', until_at: inSeconds(60) })

  expect(await viewed(workspace, listCandidates)).toMatchObject([
    {
      hold: { reason: 'Trouble', untilAt: new Date(inSeconds(60)) },
      cardData: 'token',
      capabilities: { currencies: ['eur'], brands: 'all', threeDSecure: true },
    },
  ])
})

test('an account is found in its own workspace alone', async () => {
  const [ours, theirs] = [await switchyard.newWorkspace(), await switchyard.newWorkspace()]
  const { id, path } = await anAccount(ours)
  await ours.post(`${path}/archive`)

  expect(await viewed(ours, (view) => findAccount(view, id))).toMatchObject({ id, status: 'archived' })
  expect(await viewed(theirs, (view) => findAccount(view, id))).toBeNull()
  expect(await viewed(ours, (view) => findAccount(view, 'nonsense'))).toBeNull()
})

test('an archived account is over: it is read, and nothing else', async () => {
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
  for (const answer of await Promise.all(later)) {
    expect(answer).toMatchObject({
      status: 409,
      body: { code: 'invalid_state', current_status: 'archived', allowed_actions: [] },
    })
  }
  expect((await workspace.eventsOf(id)).length).toBe(3)
})

const open = ['sending', 'pending', 'awaiting_customer', 'unknown', 'needs_review']

test.each([
  ...open.map((status) => ['authorize', status, 409] as const),
  ...open.map((status) => ['refund', status, 409] as const),
  ...['succeeded', 'declined', 'rejected', 'not_sent', 'not_processed'].map(
    (status) => ['authorize', status, 200] as const,
  ),
])('while it has an operation to %s that is %s, archiving it answers %i', async (kind, status, expected) => {
  const workspace = await switchyard.newWorkspace()
  const { id, path } = await anAccount(workspace)
  const other = await anAccount(workspace)
  await anOperation(workspace, id, { kind, status })

  const answer = await workspace.post(`${path}/archive`)

  expect(answer.status).toBe(expected)
  if (expected === 409) {
    expect(answer.body).toMatchObject({
      code: 'invalid_state',
      detail: 'An operation of this account has not ended yet.',
      current_status: 'active',
    })
    expect(answer.body.allowed_actions).toContain('disable')
    expect(answer.body.allowed_actions).not.toContain('archive')
    expect((await workspace.get(path)).body.status).toBe('active')
  }
  expect((await workspace.post(`${other.path}/archive`)).status).toBe(200)
})

/** A row as payments write it: whatever made it, an account that it belongs to is still needed. */
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

test('a hold has a reason and an end that lies ahead', async () => {
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
    { pointer: '/until_at', code: 'too_small', detail: 'must lie in the future' },
  ])
  expect((await hold({ reason: 'x', until_at })).body.hold).toEqual({ reason: 'x', until_at })
})

test('holding again replaces reason and end', async () => {
  const workspace = await switchyard.newWorkspace()
  const { id, path } = await anAccount(workspace)
  await workspace.post(`${path}/hold`, { reason: 'x', until_at: inSeconds(60) })

  const again = await workspace.post(`${path}/hold`, { reason: 'y', until_at: inSeconds(120) })

  expect(again.body.hold).toEqual({ reason: 'y', until_at: inSeconds(120) })
  clock.advance({ seconds: 61 })
  await work()
  expect((await workspace.get(path)).body.hold).toMatchObject({ reason: 'y' })
  expect((await workspace.eventsOf(id)).at(-1)).toMatchObject({ previous: { hold: { reason: 'x' } } })
})

test('a hold ends by itself at its end, not before, and that is told once', async () => {
  const workspace = await switchyard.newWorkspace()
  const { id, path } = await anAccount(workspace)
  await workspace.post(`${path}/disable`)
  await workspace.post(`${path}/hold`, { reason: 'x', until_at: inSeconds(60) })

  clock.advance({ seconds: 59 })
  await work()
  expect((await workspace.get(path)).body.hold).not.toBeNull()
  clock.advance({ seconds: 1 })
  await work()
  await work()

  expect((await workspace.get(path)).body).toMatchObject({ status: 'disabled', hold: null })
  const types = (await workspace.eventsOf(id)).map(({ type }: { type: string }) => type)
  expect(types.slice(2)).toEqual(['provider_account.held', 'provider_account.released'])
})

test('ten holds and releases at once take turns: what is told is what happened', async () => {
  const workspace = await switchyard.newWorkspace()
  const { id, path } = await anAccount(workspace)
  const until_at = inSeconds(60)

  const calls = Array.from({ length: 10 }, (_, at) =>
    at % 2 === 0
      ? workspace.post(`${path}/hold`, { reason: `${at}`, until_at })
      : workspace.post(`${path}/release`),
  )
  const answers = await Promise.all(calls)

  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
  // Ids have the order in which the requests began, and sequences that in which they had their turn.
  const events = (await workspace.eventsOf(id)).toSorted(
    (a: { sequence: number }, b: { sequence: number }) => a.sequence - b.sequence,
  )
  expect(events.map(({ sequence }: { sequence: number }) => sequence)).toEqual(
    events.map((_: object, at: number) => at + 1),
  )
  expect((await workspace.get(path)).body.hold).toEqual(events.at(-1).object.hold)
})
