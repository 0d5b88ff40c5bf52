// Run and killed by services.test.ts: starts both services, prints their process ids, and waits.

import { join } from 'node:path'
import { startNats } from './nats.ts'
import { startPostgres } from './postgres.ts'

const dir = process.argv[2]
if (!dir) throw new Error('orphans.ts takes the folder to work in')
const postgres = await startPostgres({ dataDir: join(dir, 'postgres'), settings: { fsync: 'off' } })
const nats = await startNats({ storeDir: join(dir, 'nats') })
console.log(JSON.stringify([postgres.pid, nats.pid]))
