// `npm run test:billing -- --cases 100000`: property-based tests of recurring billing with this many random cases.
// `npm test` runs a few thousand.

import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

const { values } = parseArgs({ options: { cases: { type: 'string', default: '100000' } } })
const root = resolve(import.meta.dirname, '..')
const files = [
  'packages/server/src/kernel/calendar.test.ts',
  'packages/server/src/kernel/invoice-lines.test.ts',
  'packages/server/src/domains/billing/subscriptions/plan',
]
const vitest = resolve(root, 'node_modules/vitest/vitest.mjs')
const { status } = spawnSync(process.execPath, [vitest, 'run', '--testTimeout', '3600000', ...files], {
  cwd: root,
  env: { ...process.env, BILLING_CASES: values.cases },
  stdio: 'inherit',
})
process.exitCode = status ?? 1
