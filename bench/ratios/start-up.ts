/** Measures the start-up time of the bundled server with the command `all`, and its CPU time when idle. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Effort } from './effort.ts'
import type { BenchEnvironment } from './environment.ts'
import { type Started, startScript } from './processes.ts'
import { processMs, residentMb } from './processor.ts'
import { quartilesOf } from './quartiles.ts'

export type StartUp = {
  readonly readyMs: number
  /**
   * The CPU time until the server is ready. It varies less than the elapsed time when the machine is busy.
   */
  readonly readyCpuMs: number
  readonly idleMb: number
  readonly idleCpuPercent: number
}

export async function measureStartUp(
  bench: BenchEnvironment,
  script: string,
  { rounds, idleMs }: Effort,
): Promise<StartUp> {
  const starts: Start[] = []
  for (let round = 1; round < rounds; round += 1) {
    const start = await startServer(bench, script)
    starts.push(start)
    await start.started.end('SIGTERM')
  }
  const last = await startServer(bench, script)
  const { started } = last
  // Wait until connections, partitions and the first reconciler run are done: they are not part of the idle cost.
  await sleep(idleMs / 2)
  const beforeMs = processMs(started.pid)
  await sleep(idleMs)
  const idleCpuPercent = ((processMs(started.pid) - beforeMs) / idleMs) * 100
  const idleMb = residentMb(started.pid)
  await started.end('SIGTERM')
  const medianOf = (pick: (start: Start) => number) => quartilesOf([...starts, last].map(pick)).median
  return {
    readyMs: medianOf(({ readyMs }) => readyMs),
    readyCpuMs: medianOf(({ readyCpuMs }) => readyCpuMs),
    idleMb,
    idleCpuPercent,
  }
}

type Start = { readonly started: Started; readonly readyMs: number; readonly readyCpuMs: number }

async function startServer({ folder, environment }: BenchEnvironment, script: string): Promise<Start> {
  const variables = await environment()
  const spawnedAt = Date.now()
  const started = await startScript({ folder, name: 'all', script, args: ['all'], environment: variables })
  const output = await started.waitForOutput('"ready"')
  const readyCpuMs = processMs(started.pid)
  const line = output.split('\n').find((text) => text.includes('"ready"')) ?? '{}'
  return { started, readyMs: Date.parse(JSON.parse(line).time) - spawnedAt, readyCpuMs }
}
