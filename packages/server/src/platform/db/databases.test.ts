import { expect, inject, test } from 'vitest'
import { newDatabase } from '../../../test/support/database.ts'
import { startFaultProxy } from '../../../test/support/fault-proxy.ts'
import { openDatabases } from './databases.ts'

test('connections to a server that stops responding are closed and replaced', {
  timeout: 60_000,
}, async () => {
  const proxy = await startFaultProxy(Number(new URL(inject('postgresUrl')).port))
  const url = proxy.url(await newDatabase())
  const databases = openDatabases({ url, poolSize: 2, onError: () => {} })
  await Promise.all([databases.control.time(), databases.control.time()])

  proxy.swallow()
  const lost = await Promise.allSettled([databases.control.time(), databases.control.time()])
  proxy.heal()

  expect(lost.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await databases.control.time()).toBeInstanceOf(Date)
  expect(databases.control.stats().waiting).toBe(0)
  await databases.close()
  proxy.close()
})
