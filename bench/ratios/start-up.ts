/** Measures the start-up time of `main.ts all`, and its CPU time when idle. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Effort } from './effort.ts'
import type { BenchEnvironment } from './environment.ts'
import { mainScript, startScript } from './processes.ts'
import { processMs, residentMb } from './processor.ts'
import { quartilesOf } from './quartiles.ts'

export type StartUp = { readonly readyMs: number; readonly idleMb: number; readonly idleCpuPercent: number }

export async function measureStartUp(bench: BenchEnvironment, { rounds, idleMs }: Effort): Promise<StartUp> {
  const readyMs: number[] = []
  for (let round = 1; round < rounds; round += 1) {
    const { started, tookMs } = await start(bench)
    readyMs.push(tookMs)
    await started.end('SIGTERM')
  }
  const { started, tookMs } = await start(bench)
  readyMs.push(tookMs)
  // Wait until connections, partitions and the first reconciler run are done: they are not part of the idle cost.
  await sleep(idleMs / 2)
  const beforeMs = processMs(started.pid)
  await sleep(idleMs)
  const idleCpuPercent = ((processMs(started.pid) - beforeMs) / idleMs) * 100
  const idleMb = residentMb(started.pid)
  await started.end('SIGTERM')
  return { readyMs: quartilesOf(readyMs).median, idleMb, idleCpuPercent }
}

async function start({ folder, environment }: BenchEnvironment) {
  const variables = await environment()
  const spawnedAt = Date.now()
  const started = await startScript({
    folder,
    name: 'all',
    script: mainScript,
    args: ['all'],
    environment: variables,
  })
  const output = await started.waitForOutput('"ready"')
  const line = output.split('\n').find((text) => text.includes('"ready"')) ?? '{}'
  return { started, tookMs: Date.parse(JSON.parse(line).time) - spawnedAt }
}
