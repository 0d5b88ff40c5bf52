// Deadlines: when a dispute becomes overdue, when it no longer is, and the metrics of disputes.

import { expect, test } from 'vitest'
import { reportDispute } from '../../../../test/support/disputes.ts'
import { createToken, eventTypesOf } from '../../../../test/support/payment-methods.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { openLedger } from '../../../../test/support/simulator-ledger.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'
import { createMetrics } from '../../../platform/metrics.ts'
import { updateBacklogMetrics } from '../../workspace/attention/service/backlog.ts'

const simulator = await simulatorForThisFile()
const simulatorLedger = openLedger(simulator.url)
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })
const { deps, clock } = switchyard

function inHours(hours: number): Date {
  const reading = clock.read()
  if (reading.from !== 'harness') throw new Error('Tests use a clock that they advance themselves.')
  return new Date(reading.at.getTime() + hours * 3_600_000)
}

async function pay(workspace: Workspace): Promise<{ id: string; provider_account_id: string }> {
  const token = await createToken(workspace)
  return (await workspace.post('/payments', { amount: 1299, currency: 'eur', token })).body
}

async function disputeDueIn(workspace: Workspace, hours: number | null): Promise<string> {
  const { id } = await pay(workspace)
  const respondByAt = hours === null ? null : inHours(hours)
  return reportDispute(deps, workspace.workspaceId, id, { respondByAt })
}

async function passHours(hours: number): Promise<void> {
  clock.advance({ hours })
  await switchyard.settle()
}

const idsOf = async ({ get }: Workspace, filter: string) =>
  (await get(`/disputes?${filter}`)).body.data.map(({ id }: { id: string }) => id)

test('a dispute is overdue once its deadline has passed, emits one event, and can be listed', async () => {
  const workspace = await switchyard.newWorkspace()
  const [soon, later] = [await disputeDueIn(workspace, 2), await disputeDueIn(workspace, 48)]
  const withoutDeadline = await disputeDueIn(workspace, null)

  await passHours(1)
  expect(await idsOf(workspace, 'overdue=true')).toEqual([])
  await passHours(1)
  await passHours(1)

  const { body } = await workspace.get(`/disputes/${soon}`)
  expect(body).toMatchObject({ status: 'needs_response', overdue: true })
  expect(await idsOf(workspace, 'overdue=true')).toEqual([soon])
  expect(await idsOf(workspace, 'overdue=false')).toEqual([withoutDeadline, later])
  const { data } = (await workspace.get(`/events?object_id=${soon}`)).body
  expect(data.map(({ type }: { type: string }) => type)).toEqual(['dispute.updated', 'dispute.created'])
  expect(JSON.parse(data[0].data)).toMatchObject({ object: { overdue: true }, previous: { overdue: false } })
  const both = await workspace.get('/disputes?overdue=true&status=needs_response')
  expect([both.status, both.body.errors[0].code]).toEqual([400, 'not_together'])
})

test('an answered dispute does not become overdue', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace)
  const report = { providerReference: 'dp_answered', respondByAt: inHours(1) }
  const id = await reportDispute(deps, workspace.workspaceId, payment.id, report)
  await reportDispute(deps, workspace.workspaceId, payment.id, { ...report, status: 'under_review' })

  await passHours(2)
  expect((await workspace.get(`/disputes/${id}`)).body).toMatchObject({
    status: 'under_review',
    overdue: false,
  })
  expect(await eventTypesOf(workspace, id)).toEqual(['dispute.created', 'dispute.submitted'])
})

test('a dispute is no longer overdue after a decision or with a later deadline, but stays overdue after a repeated report', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace)
  const report = { providerReference: 'dp_extended', respondByAt: inHours(1) }
  const read = async () => (await workspace.get(`/disputes/${id}`)).body
  const id = await reportDispute(deps, workspace.workspaceId, payment.id, report)
  await passHours(2)

  await reportDispute(deps, workspace.workspaceId, payment.id, report)
  expect(await read()).toMatchObject({ overdue: true })
  await reportDispute(deps, workspace.workspaceId, payment.id, { ...report, respondByAt: inHours(1) })
  expect(await read()).toMatchObject({ overdue: false })
  await passHours(2)
  expect(await read()).toMatchObject({ overdue: true })
  await reportDispute(deps, workspace.workspaceId, payment.id, { ...report, status: 'lost' })
  expect(await read()).toMatchObject({ status: 'lost', overdue: false })
})

test('a report that arrives after the deadline, before the work has run, also marks the dispute as overdue', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace)
  const report = { providerReference: 'dp_late', respondByAt: inHours(1) }
  const id = await reportDispute(deps, workspace.workspaceId, payment.id, report)
  clock.advance({ hours: 2 })
  await reportDispute(deps, workspace.workspaceId, payment.id, report)

  expect((await workspace.get(`/disputes/${id}`)).body).toMatchObject({ overdue: true })
  await switchyard.settle()
  expect(await eventTypesOf(workspace, id)).toEqual(['dispute.created', 'dispute.updated'])
})

test('a refused response leaves the dispute overdue', async () => {
  const workspace = await switchyard.newWorkspace()
  const { id, provider_account_id: account } = await pay(workspace)
  const opened = { parent_reference: `${id.slice(-26)}-1`, respond_by_at: '2020-01-01T00:00:00.000Z' }
  const url = `${simulator.url}/control/${account}/disputes`
  await fetch(url, { method: 'POST', body: JSON.stringify(opened) })
  await simulatorLedger.flush(account)
  await switchyard.settle()
  const [path] = (await idsOf(workspace, 'overdue=true')).map((dispute: string) => `/disputes/${dispute}`)
  await workspace.put(path, { evidence: { explanation: 'Delivered on Monday.' } })

  expect((await workspace.post(`${path}/submit`)).body).toMatchObject({
    status: 'needs_response',
    overdue: true,
    response_error: { code: 'provider_request_invalid' },
  })
})

test('the age of a response without a result is exported, until its result is known', async () => {
  const workspace = await switchyard.newWorkspace()
  const { id, provider_account_id: account } = await pay(workspace)
  const path = `/disputes/${await reportDispute(deps, workspace.workspaceId, id, {})}`
  await workspace.put(path, { evidence: { explanation: 'Delivered on Monday.' } })
  await simulator.configure(account, { outage: true, outage_manner: 'reset' })
  const readBacklog = async () => {
    const metrics = createMetrics()
    await updateBacklogMetrics(deps, metrics)
    const [counts, ages] = [await metrics.backlog.get(), await metrics.backlogOldestSeconds.get()]
    return [counts, ages].map(
      ({ values }) =>
        values.find(({ labels }) => labels.mode === 'test' && labels.kind === 'disputes_responding')?.value,
    )
  }

  expect((await workspace.post(`${path}/submit`)).body.status).toBe('submitting')
  await passHours(1)
  await passHours(2)
  expect(await readBacklog()).toEqual([1, 3 * 3_600])
  await simulator.configure(account, { outage: false })
  await passHours(2)
  expect((await workspace.get(path)).body).toMatchObject({ status: 'needs_response' })
  expect(await readBacklog()).toEqual([0, 0])
})

test('opened and decided disputes are counted once, after the commit', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace)
  const countOf = async (change: string) =>
    (await switchyard.metrics.disputes.get()).values.find(
      ({ labels }) => labels.mode === 'test' && labels.change === change,
    )?.value ?? Number.NaN
  const before = { created: await countOf('created'), won: await countOf('won'), lost: await countOf('lost') }
  const report = { providerReference: 'dp_counted' }
  for (const status of ['needs_response', 'won', 'won'] as const)
    await reportDispute(deps, workspace.workspaceId, payment.id, { ...report, status })

  expect(await countOf('created')).toBe(before.created + 1)
  expect(await countOf('won')).toBe(before.won + 1)
  expect(await countOf('lost')).toBe(before.lost)
})
