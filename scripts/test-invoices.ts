// `npm run test:invoices -- --invoices 1000000`: generates this many invoices with discounts and tax, and checks that their
// amounts add up, and that credits and reversals are exact. `npm test` generates 20,000. A failure prints its seed, which
// `--seed` repeats.

import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    invoices: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '1' },
  },
})
const root = resolve(import.meta.dirname, '..')
const vitest = resolve(root, 'node_modules/vitest/vitest.mjs')
const file = 'packages/server/src/kernel/invoice-arithmetic.test.ts'
const { status } = spawnSync(process.execPath, [vitest, 'run', '--testTimeout', '3600000', file], {
  cwd: root,
  env: { ...process.env, INVOICE_CASES: values.invoices, INVOICE_SEED: values.seed },
  stdio: 'inherit',
})
process.exitCode = status ?? 1
