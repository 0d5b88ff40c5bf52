// Test clocks: objects on a clock use its time.

import { expect, test } from 'vitest'
import { asOwner } from '../../../../test/support/owner.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'

const switchyard = await switchyardForThisFile()
const newYear = '2027-01-01T00:00:00.000Z'

async function aClock(workspace: Workspace, now_at = newYear): Promise<string> {
  const { body } = await workspace.post('/test-clocks', { now_at })
  return body.id
}

test('a clock starts at the given time, and advances as far as requested', async () => {
  const workspace = await switchyard.newWorkspace()
  const created = await workspace.post('/test-clocks/', { now_at: newYear, name: 'A year' })
  expect(created.status).toBe(201)
  expect(created.body).toMatchObject({
    object: 'test_clock',
    name: 'A year',
    status: 'ready',
    now_at: newYear,
  })

  const path = `/test-clocks/${created.body.id}`
  const advanced = await workspace.post(`${path}/advance`, { by: 'P1M' })
  expect(advanced.status).toBe(200)
  expect(advanced.body).toMatchObject({
    status: 'ready',
    now_at: '2027-02-01T00:00:00.000Z',
    target_at: null,
  })
  const again = await workspace.post(`${path}/advance`, { to_at: '2028-02-29T12:00:00Z' })
  expect(again.body.now_at).toBe('2028-02-29T12:00:00.000Z')
  expect((await workspace.get(path)).body).toEqual(again.body)
})

test.each([
  ['to an earlier time', { to_at: '2026-12-31T23:59:59Z' }, '/to_at', 'too_small'],
  ['by more than ten years', { by: 'P10Y1D' }, '/by', 'too_large'],
  ['without a target', {}, '/to_at', 'required'],
  ['with two targets', { to_at: '2027-02-01T00:00:00Z', by: 'P1M' }, '/to_at', 'required'],
])('advancing a clock %s is refused', async (_, body, pointer, code) => {
  const workspace = await switchyard.newWorkspace()
  const refused = await workspace.post(`/test-clocks/${await aClock(workspace)}/advance`, body)
  expect(refused.status).toBe(400)
  expect(refused.body.errors).toEqual([expect.objectContaining({ pointer, code })])
})

test('a customer on a clock is created at the time of the clock, and the event includes the clock', async () => {
  const workspace = await switchyard.newWorkspace()
  const clock = await aClock(workspace)
  await workspace.post(`/test-clocks/${clock}/advance`, { by: 'P3D' })
  const { body: customer } = await workspace.post('/customers', { name: 'Ada', test_clock_id: clock })
  expect(customer).toMatchObject({ test_clock_id: clock, created_at: '2027-01-04T00:00:00.000Z' })

  const { body: events } = await workspace.get(`/events?test_clock_id=${clock}`)
  const [event] = events.data.filter(({ type }: { type: string }) => type === 'customer.created')
  // The event itself has the real time, because receivers compare it with their own clock.
  expect(event.created_at).not.toBe(customer.created_at)
  expect(JSON.parse(event.data).test_clock).toEqual({ id: clock, now_at: '2027-01-04T00:00:00.000Z' })
})

test('objects on an advancing clock cannot be changed', async () => {
  const workspace = await switchyard.newWorkspace()
  const clock = await aClock(workspace)
  // The state in the middle of a long advance.
  await asOwner(switchyard.databaseUrl, (client) =>
    client.query(`update test_clocks set status = 'advancing', target_at = now_at + interval '1 year'`),
  )
  for (const refused of [
    await workspace.post('/customers', { test_clock_id: clock }),
    await workspace.delete(`/test-clocks/${clock}`),
  ]) {
    expect(refused.status).toBe(409)
    expect(refused.body).toMatchObject({ code: 'test_clock_advancing', retryable: true })
  }
  expect((await workspace.post(`/test-clocks/${clock}/advance`, { by: 'P1D' })).status).toBe(409)
})

test('another worker continues after a crash, and a repeated request gets the same response', async () => {
  const workspace = await switchyard.newWorkspace()
  const clock = await aClock(workspace)
  await asOwner(switchyard.databaseUrl, (client) =>
    client.query(`
      update test_clocks set status = 'advancing', target_at = now_at + interval '1 day', due_at = '2020-01-01'
      where id = (select id from test_clocks order by id desc limit 1)`),
  )
  await switchyard.settle()
  const { body } = await workspace.get(`/test-clocks/${clock}`)
  expect(body).toMatchObject({ status: 'ready', now_at: '2027-01-02T00:00:00.000Z' })

  const headers = { 'idempotency-key': 'once' }
  const first = await workspace.post(`/test-clocks/${clock}/advance`, { by: 'P1D' }, { headers })
  const second = await workspace.post(`/test-clocks/${clock}/advance`, { by: 'P1D' }, { headers })
  expect(second.body).toEqual(first.body)
  expect((await workspace.get(`/test-clocks/${clock}`)).body.now_at).toBe('2027-01-03T00:00:00.000Z')
})

test('the database rejects setting a clock back', async () => {
  const workspace = await switchyard.newWorkspace()
  await aClock(workspace)
  const update = asOwner(switchyard.databaseUrl, (client) =>
    client.query(`update test_clocks set now_at = now_at - interval '1 second'`),
  )
  await expect(update).rejects.toThrow(/back/)
})

test('a deleted clock is not found, and live mode has no test clocks', async () => {
  const workspace = await switchyard.newWorkspace()
  const clock = await aClock(workspace)
  expect((await workspace.delete(`/test-clocks/${clock}`)).body).toEqual({
    id: clock,
    object: 'test_clock',
    deleted: true,
  })
  expect((await workspace.get(`/test-clocks/${clock}`)).status).toBe(404)
  expect((await workspace.post('/customers', { test_clock_id: clock })).body.code).toBe('reference_not_found')

  const live = await switchyard.newWorkspace('live')
  expect((await live.post('/test-clocks', {})).body.code).toBe('test_mode_only')
})
