// A worker process for tests that kill one. Its options are the first argument, as JSON.

import { connectEngine, startWorkers, type WorkerSettings } from '../../../src/platform/engine/engine.ts'
import { createLog } from '../../../src/platform/log.ts'
import { createMetrics } from '../../../src/platform/metrics.ts'
import { jobDeps, openJobDatabases, runJobs } from './jobs.ts'

export type WorkerOptions = {
  readonly databaseUrl: string
  readonly natsUrl: string
  readonly poolSize: number
  readonly settings: Partial<WorkerSettings>
}

const { databaseUrl, natsUrl, poolSize, settings } = JSON.parse(process.argv[2] ?? '{}') as WorkerOptions
const log = createLog('info')
const metrics = createMetrics()
const databases = openJobDatabases(databaseUrl, poolSize)
const engine = connectEngine({ natsUrl, log, metrics })
const deps = jobDeps(databases, engine.publish)
const workers = startWorkers(engine, {
  deps,
  workTypes: [runJobs],
  ownerUrlOf: () => databaseUrl,
  log,
  metrics,
  settings,
})

process.once('SIGTERM', async () => {
  await workers.stop()
  await engine.close()
  await databases.close()
})
