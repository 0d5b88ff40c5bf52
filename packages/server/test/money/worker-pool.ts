// Starts worker processes that run scenarios.

import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { BatchResult, ScenarioBatch } from './scenario-batch.ts'
import type { WorkerMessage } from './worker.ts'

export const defaultWorkerFile = fileURLToPath(new URL('worker.ts', import.meta.url))

export type WorkerPool = {
  /** The results of the workers that finished. If one finds a failure, the others are killed. */
  readonly results: Promise<readonly BatchResult[]>
  finished(): number
}

export function startWorkers(
  batches: readonly ScenarioBatch[],
  workerFile: string = defaultWorkerFile,
): WorkerPool {
  const counts = batches.map(() => 0)
  const children: ChildProcess[] = []
  const killAll = () => {
    for (const child of children) child.kill('SIGKILL')
  }
  const results = batches.map((batch, index) => {
    const child = fork(workerFile, [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    children.push(child)
    const pending = waitForResult(child, (finished) => {
      counts[index] = finished
    })
    child.send(batch)
    return pending.then((result) => {
      if (result?.failure) killAll()
      return result
    })
  })
  return {
    results: Promise.all(results).then((all) => all.filter((result) => result !== null)),
    finished: () => counts.reduce((sum, count) => sum + count, 0),
  }
}

/** Resolves when the worker exits, with null if it was killed. */
function waitForResult(
  child: ChildProcess,
  onFinished: (finished: number) => void,
): Promise<BatchResult | null> {
  return new Promise((resolve, reject) => {
    let result: BatchResult | null = null
    child.on('message', (message: WorkerMessage) => {
      if ('result' in message) {
        result = message.result
        onFinished(result.finished)
      } else onFinished(message.finished)
    })
    child.on('error', reject)
    child.on('exit', (code, signal) => {
      if (result !== null || signal === 'SIGKILL') resolve(result)
      else reject(new Error(`A worker process ended with ${code ?? signal}.`))
    })
  })
}
