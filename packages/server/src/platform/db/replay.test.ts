import { expect, test } from 'vitest'
import { switchyardForThisFile } from '../../../test/support/switchyard.ts'
import { asOwner } from './owner.ts'

const switchyard = await switchyardForThisFile()
const withKey = { headers: { 'idempotency-key': 'k' } }

/** Moves every kept answer so far into the past, across the edge of its partition. */
const age = (days: number) =>
  asOwner(switchyard.databaseUrl, (client) =>
    client.query(
      `update idempotency_keys set id = overlay(
         uuid_floor(uuid_extract_timestamp(id) - make_interval(days => $1))::text placing substr(id::text, 14) from 14)::uuid`,
      [days],
    ),
  )

test('an answer is remembered for seven days, also across the edge of a week, and no longer', async () => {
  const { post, get } = await switchyard.newWorkspace()
  const first = await post('/customers', { name: 'Ada' }, withKey)

  await age(6)
  expect((await post('/customers', { name: 'Ada' }, withKey)).body).toEqual(first.body)

  await age(2)
  const anew = await post('/customers', { name: 'Ada' }, withKey)
  expect(anew.headers.get('idempotent-replayed')).toBeNull()
  // Both rows are there now; the one that is remembered counts.
  expect((await post('/customers', { name: 'Ada' }, withKey)).body).toEqual(anew.body)
  expect((await get('/customers')).body.data).toHaveLength(2)
})
