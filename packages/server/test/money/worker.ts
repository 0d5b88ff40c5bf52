// A worker process: receives a batch, reports its progress, and exits with the result.

import { type BatchResult, runBatch, type ScenarioBatch } from './scenario-batch.ts'

export type WorkerMessage = { readonly finished: number } | { readonly result: BatchResult }

const reportIntervalMs = 500

// Exit when the parent process ends.
process.once('disconnect', () => process.exit(1))
process.once('message', async (batch: ScenarioBatch) => {
  let finished = 0
  const timer = setInterval(() => process.send?.({ finished } satisfies WorkerMessage), reportIntervalMs)
  const result = await runBatch(batch, () => {
    finished += 1
  })
  clearInterval(timer)
  process.send?.({ result } satisfies WorkerMessage, () => process.exit(0))
})
