/** How soon `main.ts all` is ready, and what it costs when nobody asks it anything. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Effort } from './measurement.ts'
import { mainScript, startScript } from './processes.ts'
import { processMs, residentMb } from './processor.ts'
import { quartilesOf } from './quartiles.ts'
import type { Stage } from './stage.ts'

export type StartUp = { readonly readyMs: number; readonly idleMb: number; readonly idleCpuPercent: number }

export async function measureStartUp(stage: Stage, { rounds, idleMs }: Effort): Promise<StartUp> {
  const readyMs: number[] = []
  for (let round = 1; round < rounds; round += 1) {
    const { started, tookMs } = await start(stage)
    readyMs.push(tookMs)
    await started.end('SIGTERM')
  }
  const { started, tookMs } = await start(stage)
  readyMs.push(tookMs)
  // Connections, partitions and the first look of the reconciler belong to the start.
  await sleep(idleMs / 2)
  const beforeMs = processMs(started.pid)
  await sleep(idleMs)
  const idleCpuPercent = ((processMs(started.pid) - beforeMs) / idleMs) * 100
  const idleMb = residentMb(started.pid)
  await started.end('SIGTERM')
  return { readyMs: quartilesOf(readyMs).median, idleMb, idleCpuPercent }
}

async function start({ folder, environment }: Stage) {
  const variables = await environment()
  const spawnedAt = Date.now()
  const started = await startScript({
    folder,
    name: 'all',
    script: mainScript,
    args: ['all'],
    environment: variables,
  })
  const words = await started.said('"ready"')
  const line = words.split('\n').find((text) => text.includes('"ready"')) ?? '{}'
  return { started, tookMs: Date.parse(JSON.parse(line).time) - spawnedAt }
}
