// Two data shards and a control plane, each in its own database behind a proxy, which can stop it.

import { inject } from 'vitest'
import { spreadSlots } from '../../src/platform/db/placements.ts'
import { newDatabase } from './database.ts'
import { startFaultProxy } from './fault-proxy.ts'

const databaseNames = ['control', 'a', 'b'] as const

export type DatabaseName = (typeof databaseNames)[number]

export async function newShards() {
  const port = Number(new URL(inject('postgresUrl')).port)
  const entries = databaseNames.map(async (name) => {
    const [url, proxy] = [await newDatabase(), await startFaultProxy(port)]
    return { name, url, proxy }
  })
  const databases = await Promise.all(entries)
  const find = (name: DatabaseName) => {
    const database = databases.find((candidate) => candidate.name === name)
    if (database === undefined) throw new Error(`There is no database ${name}.`)
    return database
  }
  const shards = databases.filter(({ name }) => name !== 'control')
  const owners = shards.map(({ name, url }) => ({ name, ownerUrl: url }))
  await spreadSlots(find('control').url, owners)
  const control = find('control')

  return {
    environment: {
      DATABASE_URL: control.proxy.url(control.url),
      DATABASE_OWNER_URL: control.url,
      SHARDS: shards.map(({ name, url, proxy }) => `${name}=${proxy.url(url)}`).join(','),
      SHARD_OWNERS: shards.map(({ name, url }) => `${name}=${url}`).join(','),
    },
    /** The URL of the database, which also works while it is stopped for the service. */
    urlOf: (name: DatabaseName) => find(name).url,
    stop(name: DatabaseName) {
      const { proxy } = find(name)
      proxy.redirect(null)
      proxy.cut()
    },
    start: (name: DatabaseName) => find(name).proxy.redirect(port),
    /** The database no longer responds, but its connections stay open. */
    hang: (name: DatabaseName) => find(name).proxy.swallow(),
    /** Ends `hang`. */
    resume(name: DatabaseName) {
      const { proxy } = find(name)
      proxy.heal()
      proxy.cut()
    },
  }
}
