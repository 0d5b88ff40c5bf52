import { randomUUID } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { crashAt, endCrash } from '../../../../test/support/crash.ts'
import type { Organization } from '../../../../test/support/dashboard.ts'
import { asOwner } from '../../../../test/support/owner.ts'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'
import { systemCaller } from '../../../kernel/caller.ts'
import { createMetrics } from '../../../platform/metrics.ts'
import { appendWaitingEntries, watchAuditOutbox } from './service/outbox.ts'
import { verifyAuditLog } from './service.ts'

const switchyard = await switchyardForThisFile()
afterEach(endCrash)

const query = (text: string, values: unknown[] = []) =>
  asOwner(switchyard.databaseUrl, async (client) => (await client.query(text, values)).rows)
const outbox = () => query('select id from control.audit_outbox')

function callerOf({ live }: Organization) {
  const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    switchyard.call('live', method, path, body, { token: live.token, headers })
  return {
    invite: (headers: Record<string, string> = {}, email = `${randomUUID()}@example.com`) =>
      call('POST', '/invitations', { email, role: 'SUPPORT' }, headers),
    invitations: async () => (await call('GET', '/invitations')).body.data,
    entries: async () => (await call('GET', '/audit-entries?act=invitation.created')).body.data,
    brokenAt: async () => {
      const ids = { workspaceId: live.workspaceId, id: live.workspaceId }
      return (await verifyAuditLog(switchyard.deps, systemCaller(ids))).brokenAt
    },
  }
}

test('an action in the control plane is in the audit log when its response is sent', async () => {
  const { invite, entries, brokenAt } = callerOf(await switchyard.newOrganization())

  const { body } = await invite()

  expect(await entries()).toMatchObject([
    { act: 'invitation.created', object_id: body.id, details: { role: 'SUPPORT' }, authority: 'ADMIN' },
  ])
  expect(await outbox()).toEqual([])
  expect(await brokenAt()).toBeNull()
})

test.each(['control.committed', 'audit.appended'] as const)(
  'if the process is killed at %s, the entry is in the audit log once',
  async (point) => {
    const { invite, invitations, entries, brokenAt } = callerOf(await switchyard.newOrganization())

    crashAt(point)
    await invite()

    expect(await invitations()).toHaveLength(1)
    expect(await outbox()).toHaveLength(1)
    expect(await entries()).toHaveLength(point === 'control.committed' ? 0 : 1)
    await Promise.all([appendWaitingEntries(switchyard.deps), appendWaitingEntries(switchyard.deps)])
    await appendWaitingEntries(switchyard.deps)
    const [invitation] = await invitations()
    expect(await entries()).toMatchObject([
      { object_id: invitation.id, created_at: '2026-11-14T12:00:00.000Z', source: 'api' },
    ])
    expect(await outbox()).toEqual([])
    expect(await brokenAt()).toBeNull()
  },
)

test('the process that runs the reconciler appends waiting entries, and reports the oldest', async () => {
  const { invite, entries } = callerOf(await switchyard.newOrganization())
  crashAt('control.committed')
  await invite()
  const metrics = createMetrics()
  const task = watchAuditOutbox(switchyard.deps, metrics)

  task.runIfDue()
  await task.stop()

  expect(await entries()).toHaveLength(1)
  expect((await metrics.auditOutboxOldestSeconds.get()).values).toMatchObject([{ value: 0 }])
})

test('an entry that cannot be appended does not delay those of other workspaces, and its age is reported', async () => {
  const [broken, other] = [await switchyard.newOrganization(), await switchyard.newOrganization()]
  for (const organization of [broken, other]) {
    crashAt('control.committed')
    await callerOf(organization).invite()
  }
  // An entry with the same number exists, so the next one cannot be appended.
  const [{ workspace_id: id }] = await query(
    'select workspace_id from control.audit_outbox order by id limit 1',
  )
  const moveHead = (step: number) =>
    query('update audit_heads set number = number + $2 where workspace_id = $1', [id, step])
  await moveHead(-1)
  await query(`update control.audit_outbox set created_at = now() - interval '90 seconds'`)
  const metrics = createMetrics()
  const task = watchAuditOutbox(switchyard.deps, metrics)

  task.runIfDue()
  await task.stop()

  expect(await callerOf(other).entries()).toHaveLength(1)
  expect(await callerOf(broken).entries()).toHaveLength(0)
  const [waiting] = (await metrics.auditOutboxOldestSeconds.get()).values
  expect(waiting?.value).toBeGreaterThanOrEqual(90)
  await moveHead(1)
  await appendWaitingEntries(switchyard.deps)
  expect(await callerOf(broken).entries()).toHaveLength(1)
  expect(await callerOf(broken).brokenAt()).toBeNull()
})

test('a request that is rolled back leaves no entry', async () => {
  const { invite, entries } = callerOf(await switchyard.newOrganization())
  const email = `${randomUUID()}@example.com`
  const [first, second] = await Promise.all([invite({}, email), invite({}, email)])

  const created = [first, second].filter(({ status }) => status === 201)

  expect(await entries()).toHaveLength(created.length)
  expect(await outbox()).toEqual([])
})

test('a repeated request with the same key gets the stored response, even if the first process was killed', async () => {
  const { invite, invitations, entries } = callerOf(await switchyard.newOrganization())
  const email = `${randomUUID()}@example.com`
  const headers = { 'idempotency-key': randomUUID() }

  crashAt('control.committed')
  const lost = await invite(headers, email)
  const [second, third] = await Promise.all([invite(headers, email), invite(headers, email)])

  expect(lost.status).toBe(500)
  expect(second.status).toBe(201)
  expect(second.headers.get('idempotent-replayed')).toBe('true')
  expect(third.body).toEqual(second.body)
  expect(await invitations()).toMatchObject([{ id: second.body.id }])
  await appendWaitingEntries(switchyard.deps)
  expect(await entries()).toHaveLength(1)
  expect((await invitations()).length).toBe(1)
  expect(await invite(headers)).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } })
})

test('a response that a process of the previous release stored in the workspace is replayed', async () => {
  const { invite, invitations } = callerOf(await switchyard.newOrganization())
  const email = `${randomUUID()}@example.com`
  const headers = { 'idempotency-key': randomUUID() }
  const { body } = await invite(headers, email)
  await query(`
    with moved as (delete from control.idempotency_keys returning *)
    insert into idempotency_keys (workspace_id, id, scope, fingerprint, request_id, status, etag, body)
    select workspace_id, uuidv7(), scope, fingerprint, request_id, status, etag, body from moved`)

  // Responses are stored without secrets.
  expect((await invite(headers, email)).body).toEqual({ ...body, url: null })
  expect(await invitations()).toHaveLength(1)
})
