import { expect, test } from 'vitest'
import { asOwner } from '../../../test/support/owner.ts'
import { switchyardForThisFile } from '../../../test/support/switchyard.ts'

const switchyard = await switchyardForThisFile()
const withKey = { headers: { 'idempotency-key': 'k' } }

/** Moves all stored responses into the past, across the boundary of their partition. */
const moveBack = (days: number) =>
  asOwner(switchyard.databaseUrl, (client) =>
    client.query(
      `update idempotency_keys set id = overlay(
         uuid_floor(uuid_extract_timestamp(id) - make_interval(days => $1))::text placing substr(id::text, 14) from 14)::uuid`,
      [days],
    ),
  )

test('a response is replayed for seven days, even across a weekly partition boundary, and no longer', async () => {
  const { post, get } = await switchyard.newWorkspace()
  const first = await post('/customers', { name: 'Ada' }, withKey)

  await moveBack(6)
  expect((await post('/customers', { name: 'Ada' }, withKey)).body).toEqual(first.body)

  await moveBack(2)
  const second = await post('/customers', { name: 'Ada' }, withKey)
  expect(second.headers.get('idempotent-replayed')).toBeNull()
  // Both rows exist now; the one that is still valid is used.
  expect((await post('/customers', { name: 'Ada' }, withKey)).body).toEqual(second.body)
  expect((await get('/customers')).body.data).toHaveLength(2)
})
