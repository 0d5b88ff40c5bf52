// A worker process: runs each batch that it receives, and sends the report.

import { runFaultedSequences } from './faulted-sequences.ts'

export type Batch = { readonly databaseUrl: string; readonly sequences: number; readonly seed: number }

// Exit when the parent process ends.
process.once('disconnect', () => process.exit(1))
process.on('message', async ({ databaseUrl, ...batch }: Batch) => {
  process.send?.(await runFaultedSequences(databaseUrl, batch))
})
