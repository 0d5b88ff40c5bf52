// `npm run test:e-invoices -- --invoices 500`: writes this many random invoices, and a credit note for each that has one, as
// CII and UBL. Validates the CII with the schema of Factur-X for EN 16931, and the order of the elements of the UBL. `npm
// test` generates 20.

import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

const { values } = parseArgs({ options: { invoices: { type: 'string', default: '500' } } })
const root = resolve(import.meta.dirname, '..')
const vitest = resolve(root, 'node_modules/vitest/vitest.mjs')
const file = 'packages/server/src/domains/billing/invoices/e-invoice-schema.test.ts'
const { status } = spawnSync(process.execPath, [vitest, 'run', '--testTimeout', '3600000', file], {
  cwd: root,
  env: { ...process.env, E_INVOICES: values.invoices },
  stdio: 'inherit',
})
process.exitCode = status ?? 1
