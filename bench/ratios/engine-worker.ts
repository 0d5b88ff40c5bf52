// A worker like the one that main.ts starts, with the jobs of the benchmark instead of the real work.

import { databaseClock } from '../../packages/server/src/kernel/clock.ts'
import { openDatabases } from '../../packages/server/src/platform/db/databases.ts'
import { connectEngine, startWorkers } from '../../packages/server/src/platform/engine/engine.ts'
import { createLog } from '../../packages/server/src/platform/log.ts'
import { createMetrics } from '../../packages/server/src/platform/metrics.ts'
import { benchJobs } from './jobs.ts'

const [databaseUrl = '', natsUrl = ''] = process.argv.slice(2)
const log = createLog('info')
const metrics = createMetrics()
const databases = openDatabases({ url: databaseUrl, poolSize: 16, onError: () => {} })
const engine = connectEngine({ natsUrl, log, metrics })
const deps = {
  databases,
  clock: databaseClock,
  eventLog: {
    insertEvents: () => {
      throw new Error('Jobs emit no events.')
    },
    hintsOf: () => [],
    announce: () => {},
  },
  pagesOf: () => ({ invoicePage: () => null, cardPage: () => null }),
  eventToVersion: (_version: string, _type: string, object: object) => object,
  publish: engine.publish,
}
const workers = startWorkers(engine, {
  deps,
  workTypes: [benchJobs],
  ownerUrlOf: () => databaseUrl,
  log,
  metrics,
})

process.once('SIGTERM', async () => {
  await workers.stop()
  await engine.close()
  await databases.close()
})
