// Time that is moved by hand: whoever lives on a clock is stamped with its time.

import { expect, test } from 'vitest'
import { switchyardForThisFile, type Workspace } from '../../../test/support/switchyard.ts'
import { asOwner } from '../../platform/db/owner.ts'

const switchyard = await switchyardForThisFile()
const newYear = '2027-01-01T00:00:00.000Z'

async function aClock(workspace: Workspace, now_at = newYear): Promise<string> {
  const { body } = await workspace.post('/test-clocks', { now_at })
  return body.id
}

test('a clock begins where it is told, and goes as far as it is told', async () => {
  const workspace = await switchyard.newWorkspace()
  const made = await workspace.post('/test-clocks/', { now_at: newYear, name: 'A year' })
  expect(made.status).toBe(201)
  expect(made.body).toMatchObject({ object: 'test_clock', name: 'A year', status: 'ready', now_at: newYear })

  const path = `/test-clocks/${made.body.id}`
  const moved = await workspace.post(`${path}/advance`, { by: 'P1M' })
  expect(moved.status).toBe(200)
  expect(moved.body).toMatchObject({ status: 'ready', now_at: '2027-02-01T00:00:00.000Z', target_at: null })
  const again = await workspace.post(`${path}/advance`, { to_at: '2028-02-29T12:00:00Z' })
  expect(again.body.now_at).toBe('2028-02-29T12:00:00.000Z')
  expect((await workspace.get(path)).body).toEqual(again.body)
})

test.each([
  ['back in time', { to_at: '2026-12-31T23:59:59Z' }, '/to_at', 'too_small'],
  ['further than ten years', { by: 'P10Y1D' }, '/by', 'too_large'],
  ['nowhere', {}, '/to_at', 'required'],
  ['to two places', { to_at: '2027-02-01T00:00:00Z', by: 'P1M' }, '/to_at', 'required'],
])('a clock does not go %s', async (_, body, pointer, code) => {
  const workspace = await switchyard.newWorkspace()
  const refused = await workspace.post(`/test-clocks/${await aClock(workspace)}/advance`, body)
  expect(refused.status).toBe(400)
  expect(refused.body.errors).toEqual([expect.objectContaining({ pointer, code })])
})

test('a customer on a clock lives in its time, and the log says in which', async () => {
  const workspace = await switchyard.newWorkspace()
  const clock = await aClock(workspace)
  await workspace.post(`/test-clocks/${clock}/advance`, { by: 'P3D' })
  const { body: customer } = await workspace.post('/customers', { name: 'Ada', test_clock_id: clock })
  expect(customer).toMatchObject({ test_clock_id: clock, created_at: '2027-01-04T00:00:00.000Z' })

  const { body: events } = await workspace.get(`/events?test_clock_id=${clock}`)
  const [event] = events.data.filter(({ type }: { type: string }) => type === 'customer.created')
  // The event itself happened in the world: receivers compare its time with their own.
  expect(event.created_at).not.toBe(customer.created_at)
  expect(JSON.parse(event.data).test_clock).toEqual({ id: clock, now_at: '2027-01-04T00:00:00.000Z' })
})

test('while a clock is on its way nobody touches what lives on it', async () => {
  const workspace = await switchyard.newWorkspace()
  const clock = await aClock(workspace)
  // As it would stand in the middle of a long way.
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

test('whoever died on the way is followed by another, and a repeated request is answered the same', async () => {
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

test('time never goes back, whoever writes it', async () => {
  const workspace = await switchyard.newWorkspace()
  await aClock(workspace)
  const back = asOwner(switchyard.databaseUrl, (client) =>
    client.query(`update test_clocks set now_at = now_at - interval '1 second'`),
  )
  await expect(back).rejects.toThrow(/back/)
})

test('a deleted clock is gone, and production has none', async () => {
  const workspace = await switchyard.newWorkspace()
  const clock = await aClock(workspace)
  expect((await workspace.delete(`/test-clocks/${clock}`)).body).toEqual({
    ...{ id: clock, object: 'test_clock', deleted: true },
  })
  expect((await workspace.get(`/test-clocks/${clock}`)).status).toBe(404)
  expect((await workspace.post('/customers', { test_clock_id: clock })).body.code).toBe('reference_not_found')

  const live = await switchyard.newWorkspace('live')
  expect((await live.post('/test-clocks', {})).body.code).toBe('test_mode_only')
})
