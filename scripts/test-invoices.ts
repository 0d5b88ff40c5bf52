// `npm run test:invoices -- --invoices 1000000`: generates this many invoices with discounts and tax, each with a random
// history of credit notes and changes of prices, and checks that their amounts add up, and that credits and reversals are
// exact, in one process for each core. `npm test` generates 20,000. A failure prints its seed, which `--seed` repeats.
// `--mutants` instead breaks the arithmetic in a copy of the server, one way at a time, and fails if the checks on the
// generated invoices miss one of the mutants.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { detectInvoiceMutants } from '../packages/server/test/invoice-mutants/run.ts'

const { values } = parseArgs({
  options: {
    invoices: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '1' },
    mutants: { type: 'boolean', default: false },
  },
})
const root = resolve(import.meta.dirname, '..')
const vitest = resolve(root, 'node_modules/vitest/vitest.mjs')
const file = 'packages/server/src/kernel/invoice-arithmetic.test.ts'
if (values.mutants) process.exitCode = detectInvoiceMutants(values.invoices) ? 0 : 1
else process.exitCode = await generateInvoices()

async function generateInvoices(): Promise<number> {
  const [invoices, firstSeed] = [Number(values.invoices), Number(values.seed)]
  const share = Math.ceil(invoices / availableParallelism())
  const runs: Promise<number>[] = []
  for (let done = 0; done < invoices; done += share)
    runs.push(generateShare(Math.min(share, invoices - done), firstSeed + done))
  return Math.max(...(await Promise.all(runs)))
}

async function generateShare(invoices: number, seed: number): Promise<number> {
  const run = spawn(process.execPath, [vitest, 'run', '--testTimeout', '3600000', file], {
    cwd: root,
    env: { ...process.env, INVOICE_CASES: `${invoices}`, INVOICE_SEED: `${seed}` },
    stdio: 'inherit',
  })
  const [code] = await once(run, 'exit')
  return code ?? 1
}
