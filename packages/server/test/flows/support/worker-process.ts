import { join } from 'node:path'
import { startTied, type TiedProcess } from '../../../../../scripts/services/tied-process.ts'
import { until } from './wait.ts'
import type { WorkerOptions } from './worker.ts'

export type WorkerProcess = TiedProcess & {
  /** Resolves when the log of the process contains this text. */
  waitForLine(text: string): Promise<void>
}

/** Starts a worker in a separate process, which writes its log to `dir`. */
export async function startWorkerProcess(
  dir: string,
  name: string,
  options: WorkerOptions,
): Promise<WorkerProcess> {
  const script = join(import.meta.dirname, 'worker.ts')
  const worker = await startTied({
    binary: process.execPath,
    args: [script, JSON.stringify(options)],
    logFile: join(dir, `${name}.log`),
    cwd: dir,
    deathSignal: 'SIGTERM',
  })
  const waitForLine = async (text: string) => {
    await until(`${name} logs "${text}"`, () => worker.lastOutput().includes(text))
  }
  return { ...worker, waitForLine }
}
