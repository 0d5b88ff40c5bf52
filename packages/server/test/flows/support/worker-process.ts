import { join } from 'node:path'
import { startTied, type TiedProcess } from '../../../../../scripts/services/tied-process.ts'
import { until } from './wait.ts'
import type { WorkerOptions } from './worker.ts'

export type WorkerProcess = TiedProcess & {
  /** Settles when it has said this in its log. */
  said(text: string): Promise<void>
}

/** A real process, whose log lies in `dir`. */
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
  const said = async (text: string) => {
    await until(`${name} says "${text}"`, () => worker.lastWords().includes(text))
  }
  return { ...worker, said }
}
